import { Inject, Injectable } from '@nestjs/common';
import { jsonPointer, ProblemError } from '#lib/contracts/input/problem';
import type { Page } from '#lib/contracts/page';
import { componentsOf } from '#lib/contracts/prompt-components';
import {
  SUITE_NOW,
  type PromptDiff,
  type PromptVersion,
  type PromptVersionHead,
  type PromptVersionInput,
  type PromptVersionPatch,
  type PromptVersionsQuery,
} from '#lib/contracts/prompt-version';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { PromptVersionRepository } from '#lib/db/catalogue/prompt-versions';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { UUID, type Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { findSuite } from '../runs/find-suite.js';
import { checkComponents } from '../runs/resolve-prompt.js';
import { SuiteThreads } from '../threads/suite-threads.js';

/** Manages prompt versions. None of it changes a suite. */
@Injectable()
export class PromptVersionService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
  ) {}

  list({ teamId }: Caller, query: PromptVersionsQuery): Promise<Page<PromptVersionHead>> {
    return new PromptVersionRepository(this.pool, teamId).list(query);
  }

  read({ teamId }: Caller, id: string): Promise<PromptVersion> {
    return new PromptVersionRepository(this.pool, teamId).read(id);
  }

  /** @throws ProblemError 422 when a text has no place in the suite, 409 when the suite has too many versions */
  async create(caller: Caller, input: PromptVersionInput, change: Change): Promise<PromptVersion> {
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
      await audit(client, caller, 'prompt_version.create', id);
      return versions.read(id);
    });
  }

  update(caller: Caller, id: string, patch: PromptVersionPatch, change: Change): Promise<PromptVersion> {
    return change(async (client) => {
      const version = await new PromptVersionRepository(client, caller.teamId).update(id, patch);
      await audit(client, caller, 'prompt_version.update', id);
      return version;
    });
  }

  delete(caller: Caller, id: string, change: Change): Promise<void> {
    return change(async (client) => {
      await new PromptVersionRepository(client, caller.teamId).delete(id);
      await audit(client, caller, 'prompt_version.delete', id);
    });
  }

  /** @throws ProblemError 422 when there is nothing to compare with */
  async diff({ teamId }: Caller, id: string, wanted: string | undefined): Promise<PromptDiff> {
    const version = await new PromptVersionRepository(this.pool, teamId).read(id);
    const to = (wanted ?? version.parent_id ?? SUITE_NOW).toLowerCase();
    const other = to === SUITE_NOW ? undefined : await this.#findOther(teamId, version, to);
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
    return { from: id, to, components: changed.map((text, index) => ({ ...text, hunks: hunks[index]! })) };
  }

  async #findOther(teamId: string, version: PromptVersion, id: string): Promise<PromptVersion> {
    const other = UUID.test(id) ? await new PromptVersionRepository(this.pool, teamId).find(id) : undefined;
    const fault = other
      ? other.suite_id !== version.suite_id && `The prompt version ${id} belongs to another suite.`
      : `No prompt version with id "${id}" in this team.`;
    if (!fault) return other!;
    throw new ProblemError(422, `${fault} GET /api/prompt-versions?suite_id=${version.suite_id} lists its versions.`, [
      { path: '/to', message: 'must be the id of a version of the same suite, or "suite"' },
    ]);
  }

  /** The current texts of the suite; none if it was deleted. */
  async #textsOfSuite(
    teamId: string,
    { suite_id: suiteId }: PromptVersion,
    other: PromptVersion | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const suite = suiteId === null ? undefined : await new SuiteRepository(this.pool, teamId).find(suiteId);
    if (suite) return componentsOf(suite.system_prompt, suite.tools);
    if (other) return new Map();
    throw new ProblemError(422, 'The suite of the version was deleted. Compare it with another version.', [
      { path: '/to', message: 'must be the id of a version of the same suite' },
    ]);
  }
}
