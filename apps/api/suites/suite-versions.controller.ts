import { Controller, Get, Param, Post, Query, Res, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Case } from '#lib/contracts/case';
import { Comparing } from '#lib/contracts/comparing';
import { ProblemError } from '#lib/contracts/input/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
import {
  ChangesQuery,
  SuiteChanges,
  SuiteVersion,
  SuiteVersionHead,
  VersionNumber,
} from '#lib/contracts/suite-version';
import { Suite } from '#lib/contracts/suite';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { RestoreVersionRepository } from '#lib/db/catalogue/restore-version';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import { patienceOf, sendComparison } from '../comparisons/send-comparison.js';
import { About, Answers, Changes, cursorOf, Me, uuid, type Change } from '../platform/decorators.js';
import type { Pool } from '#lib/db/connection/pool';
import { SuiteVersionRepository } from '#lib/db/read/suite-versions';
import { ComparisonAnswers } from '../comparisons/comparison-answers.js';
import { POOL } from '../platform/stores.js';

/** Reads, compares and restores the versions of suites. */
@Controller('api/tool-suites/:id/versions')
export class SuiteVersionsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
  ) {}

  @Get()
  @About('List the versions of a suite', 'The versions that stored runs pin, and the current one; the newest first.')
  @Answers(200, pageOf(SuiteVersionHead), 404)
  listVersions(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ): Promise<Page<SuiteVersionHead>> {
    return new SuiteVersionRepository(this.pool, teamId).list(uuid('suite', id), {
      limit,
      cursor: cursorOf(cursor, /^\d{1,9}$/),
    });
  }

  @Get(':version')
  @About('Read a version of a suite', 'Its settings and tools.')
  @Answers(200, SuiteVersion, 404)
  async readVersion(@Me() { teamId }: Caller, @Param('id') id: string, @Param('version') version: string) {
    return (await new SuiteVersionRepository(this.pool, teamId).read(uuid('suite', id), versionOf(version))).suite;
  }

  @Post(':version/restore')
  @About(
    'Restore a version of a suite',
    'The suite gets the tools, system prompt, pass threshold and cases of this version, as a new version; its name ' +
      'and description stay. Cases keep their ids. A current version that no run pinned is lost. Refused with 409 ' +
      'for the current version.',
  )
  @Answers(200, Suite, 404, 409)
  restoreVersion(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('version') version: string,
    @Changes() change: Change,
  ): Promise<Suite> {
    const [suiteId, wanted] = [uuid('suite', id), versionOf(version)];
    return change(async (client) => {
      const restored = await new RestoreVersionRepository(client, caller.teamId).restore(suiteId, wanted);
      const after = { ...restored.after, restored_version: wanted };
      await audit(client, caller, 'suite.restore', suiteId, { ...restored, after });
      return new SuiteRepository(client, caller.teamId).read(suiteId);
    });
  }

  /** Cases of large suites take seconds of Postgres time, so the threads that compare runs do this too. */
  @Get(':version/changes')
  @About(
    'Compare two versions of a suite',
    'How the version `to` differs from this one: settings, tools and cases. Counts are exact, lists are ' +
      'bounded. `GET /api/tool-suites/{id}/versions/{version}/cases/{caseId}` reads a case of either version.',
  )
  @Answers(200, SuiteChanges, 404, 422, 429)
  @Answers(202, Comparing)
  async compareVersions(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Param('version') version: string,
    @Query({ schema: ChangesQuery }) { to, wait }: ChangesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const asked = {
      what: 'compare-versions',
      teamId,
      suiteId: uuid('suite', id),
      from: versionOf(version),
      to,
    } as const;
    return sendComparison(await this.answers.get(asked, patienceOf(reply, wait)), reply);
  }

  @Get(':version/cases/:caseId')
  @About('Read a case of a version', 'The case as it was in this version of the suite.')
  @Answers(200, Case, 404)
  readVersionCase(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Param('version') version: string,
    @Param('caseId') caseId: string,
  ): Promise<Case> {
    const asked = [uuid('suite', id), versionOf(version)] as const;
    const askedCase = uuid('case', caseId);
    return SuiteVersionRepository.inSnapshot(this.pool, teamId, async (versions) => {
      const { place } = await versions.read(...asked);
      return versions.readCase(place, askedCase);
    });
  }
}

/** A version number in a path. @throws ProblemError 404 if it is not a number */
function versionOf(text: string): number {
  const parsed = VersionNumber.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ProblemError(404, `A suite has no version "${text}": versions are numbers from 1.`);
}
