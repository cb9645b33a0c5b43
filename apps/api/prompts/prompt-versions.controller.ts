import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Inject } from '@nestjs/common';
import { type Page, pageOf } from '#lib/contracts/page';
import {
  PromptDiff,
  PromptDiffQuery,
  PromptVersion,
  PromptVersionHead,
  PromptVersionInput,
  PromptVersionPatch,
  PromptVersionsQuery,
  CURRENT_SUITE,
} from '#lib/contracts/prompt-version';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, TakesUpTo, uuid, type Change, UUID } from '../platform/decorators.js';
import { jsonPointer, ProblemError } from '#lib/contracts/input/problem';
import { componentsOf } from '#lib/contracts/prompt-components';
import { audit } from '#lib/db/catalogue/audit';
import { PromptVersionRepository, type StoredPromptVersion } from '#lib/db/catalogue/prompt-versions';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { PromptUseRepository } from '#lib/db/read/prompt-use';
import { POOL } from '../platform/stores.js';
import { findSuite } from '../runs/find-suite.js';
import { checkComponents } from '../runs/resolve-prompt.js';
import { SuiteThreads } from '../threads/suite-threads.js';

const WHAT = 'prompt version';

const TEXTS_BYTES = 2 * 2 ** 20;

/** Manages prompt versions. None of it changes a suite. */
@Controller('api/prompt-versions')
export class PromptVersionsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
  ) {}

  @Get()
  @About('List prompt versions', 'Texts that replace those of a suite in a run, the newest first.')
  @Answers(200, pageOf(PromptVersionHead))
  async list(
    @Me() { teamId, limits }: Caller,
    @Query({ schema: PromptVersionsQuery }) { cursor, ...query }: PromptVersionsQuery,
  ): Promise<Page<PromptVersionHead>> {
    const page = { ...query, cursor: idCursor(cursor), suiteIds: limits.suiteIds };
    const { items, next_cursor } = await new PromptVersionRepository(this.pool, teamId).list(page);
    return { items: await new PromptUseRepository(this.pool, teamId).addUse(items), next_cursor };
  }

  /** @throws ProblemError 422 when a text has no place in the suite, 409 when the suite has too many versions */
  @Post()
  @TakesUpTo(TEXTS_BYTES, PromptVersionInput)
  @About(
    'Create a prompt version',
    'The suite does not change: runs use the texts with `prompt_version_id`. Answers 409 when the suite has 1,000 ' +
      'versions.',
  )
  @Answers(201, PromptVersion, 409)
  async create(
    @Me() caller: Caller,
    @Body({ schema: PromptVersionInput }) input: PromptVersionInput,
    @Changes() change: Change,
  ): Promise<PromptVersion> {
    const { teamId, userId } = caller;
    const { components, label, tags, parent_id: parentId } = input;
    const suite = await findSuite(this.pool, teamId, input.suite_id);
    checkComponents(components, suite.tools, (key) => jsonPointer(['components', key]));
    return change(async (client) => {
      const versions = new PromptVersionRepository(client, teamId);
      const id = await versions.create({
        ...{ suiteId: suite.id, components, label, tags, parentId, userId },
        source: 'manual',
        origin: null,
      });
      await audit(client, caller, 'prompt_version.create', id, { after: input });
      return this.#withUse(client, teamId, await versions.read(id));
    });
  }

  @Get(':id')
  @About('Read a prompt version', 'With its texts.')
  @Answers(200, PromptVersion, 404)
  async read(@Me() { teamId }: Caller, @Param('id') id: string): Promise<PromptVersion> {
    const version = await new PromptVersionRepository(this.pool, teamId).read(uuid(WHAT, id));
    return this.#withUse(this.pool, teamId, version);
  }

  @Patch(':id')
  @About('Change a prompt version', 'Changes its label and tags. A tag moves here from the version that had it.')
  @Answers(200, PromptVersion, 404)
  update(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: PromptVersionPatch }) patch: PromptVersionPatch,
    @Changes() change: Change,
  ): Promise<PromptVersion> {
    const versionId = uuid(WHAT, id);
    return change(async (client) => {
      const { before, after } = await new PromptVersionRepository(client, caller.teamId).update(versionId, patch);
      const { label, tags } = after;
      await audit(client, caller, 'prompt_version.update', versionId, { before, after: { label, tags } });
      return this.#withUse(client, caller.teamId, after);
    });
  }

  @Delete(':id')
  @About('Delete a prompt version', 'Runs that used its texts keep them.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const versionId = uuid(WHAT, id);
    return change(async (client) => {
      const before = await new PromptVersionRepository(client, caller.teamId).delete(versionId);
      await audit(client, caller, 'prompt_version.delete', versionId, { before });
    });
  }

  /** @throws ProblemError 422 when there is nothing to compare with */
  @Get(':id/diff')
  @About(
    'Compare a prompt version',
    'Word by word with another version, with its parent, or with the current suite. A text that one of ' +
      'them does not have is that of the suite.',
  )
  @Answers(200, PromptDiff, 404, 429)
  async diff(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: PromptDiffQuery }) { to: wanted }: PromptDiffQuery,
  ): Promise<PromptDiff> {
    const versionId = uuid(WHAT, id);
    const version = await new PromptVersionRepository(this.pool, teamId).read(versionId);
    const to = (wanted ?? version.parent_id ?? CURRENT_SUITE).toLowerCase();
    const other = to === CURRENT_SUITE ? undefined : await this.#findOther(teamId, version, to);
    const inSuite = await this.#textsOfSuite(teamId, version, other);
    const keys = new Set([...Object.keys(version.components), ...Object.keys(other?.components ?? {})]);
    const changed = [...keys]
      .map((component) => ({
        component,
        from: version.components[component] ?? inSuite.get(component) ?? '',
        to: other?.components[component] ?? inSuite.get(component) ?? '',
      }))
      .filter((text) => text.from !== text.to);
    const pairs = changed.map((text) => [text.from, text.to] as const);
    const hunks = await this.suiteThreads.run(teamId, { what: 'diff-texts', pairs });
    return { from: versionId, to, components: changed.map((text, index) => ({ ...text, hunks: hunks[index]! })) };
  }

  async #withUse(db: Pool | PoolClient, teamId: string, version: StoredPromptVersion): Promise<PromptVersion> {
    return (await new PromptUseRepository(db, teamId).addUse([version]))[0]!;
  }

  async #findOther(teamId: string, version: StoredPromptVersion, id: string): Promise<StoredPromptVersion> {
    const other = UUID.test(id) ? await new PromptVersionRepository(this.pool, teamId).find(id) : undefined;
    const fault = other
      ? other.suite_id !== version.suite_id && `The prompt version ${id} belongs to another suite.`
      : `No prompt version with id "${id}" in this team.`;
    if (!fault) return other!;
    throw new ProblemError(422, `${fault} Choose a version of the same suite.`, [
      { path: '/to', message: 'must be the id of a version of the same suite, or "suite"' },
    ]).as('unknown_prompt_version', { version: id, suite_id: version.suite_id });
  }

  /** The current texts of the suite; none if it was deleted. */
  async #textsOfSuite(
    teamId: string,
    { suite_id: suiteId }: StoredPromptVersion,
    other: StoredPromptVersion | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const suite = suiteId === null ? undefined : await new SuiteRepository(this.pool, teamId).find(suiteId);
    if (suite) return componentsOf(suite.system_prompt, suite.tools);
    if (other) return new Map();
    throw new ProblemError(422, 'The suite of the version was deleted. Compare it with another version.', [
      { path: '/to', message: 'must be the id of a version of the same suite' },
    ]);
  }
}
