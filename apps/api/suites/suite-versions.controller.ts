import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Case } from '#lib/contracts/case';
import { Comparing } from '#lib/contracts/comparing';
import { ProblemError } from '#lib/contracts/input/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import {
  ChangesQuery,
  SuiteChanges,
  SuiteVersion,
  SuiteVersionHead,
  VersionNumber,
} from '#lib/contracts/suite-version';
import type { Caller } from '#lib/db/catalogue/callers';
import { patienceOf, sendComparison } from '../comparisons/send-comparison.js';
import { About, Answers, cursorOf, Me, uuid } from '../platform/decorators.js';
import { SuiteVersionService } from './suite-versions.service.js';

@Controller('api/tool-suites/:id/versions')
export class SuiteVersionsController {
  constructor(readonly service: SuiteVersionService) {}

  @Get()
  @About('List the versions of a suite', 'The versions that stored runs pin, and the current one; the newest first.')
  @Answers(200, pageOf(SuiteVersionHead), 404)
  listVersions(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ) {
    return this.service.list(caller, uuid('suite', id), { limit, cursor: cursorOf(cursor, /^\d{1,9}$/) });
  }

  @Get(':version')
  @About('Read a version of a suite', 'Its settings and tools.')
  @Answers(200, SuiteVersion, 404)
  readVersion(@Me() caller: Caller, @Param('id') id: string, @Param('version') version: string) {
    return this.service.read(caller, uuid('suite', id), versionOf(version));
  }

  @Get(':version/changes')
  @About(
    'Compare two versions of a suite',
    'How the version `to` differs from this one: settings, tools and cases. Counts are exact, lists are ' +
      'bounded. `GET /api/tool-suites/{id}/versions/{version}/cases/{caseId}` reads a case of either version.',
  )
  @Answers(200, SuiteChanges, 404, 422, 429)
  @Answers(202, Comparing)
  async compareVersions(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('version') version: string,
    @Query({ schema: ChangesQuery }) { to, wait }: ChangesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const versions = { from: versionOf(version), to };
    const patience = patienceOf(reply, wait);
    return sendComparison(await this.service.compare(caller, uuid('suite', id), versions, patience), reply);
  }

  @Get(':version/cases/:caseId')
  @About('Read a case of a version', 'The case as it was in this version of the suite.')
  @Answers(200, Case, 404)
  readVersionCase(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('version') version: string,
    @Param('caseId') caseId: string,
  ) {
    return this.service.readCase(caller, uuid('suite', id), versionOf(version), uuid('case', caseId));
  }
}

/** A version number in a path. @throws ProblemError 404 if it is not a number */
function versionOf(text: string): number {
  const parsed = VersionNumber.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ProblemError(404, `A suite has no version "${text}": versions are numbers from 1.`);
}
