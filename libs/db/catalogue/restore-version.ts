import type { ConversationDefaults } from '#lib/contracts/conversation';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { jsonColumn, nullableJsonColumn } from '../connection/json-column.js';
import { TeamScoped } from '../team-isolation.js';
import { checkSuiteSize, sizeOfSuite } from './suite-size.js';
import { SuiteRepository, type SuiteChange } from './suites.js';

interface RestoredRow {
  system_prompt: string | null;
  tools: string;
  pass_threshold: number;
  conversation: string | null;
}

/** A suite before and after, with the number of its cases. */
type Restored = { [Side in keyof SuiteChange]: SuiteChange[Side] & { cases: number } };

/** Makes an earlier version of a suite its current one. */
export class RestoreVersionRepository extends TeamScoped {
  /**
   * The suite gets the tools, settings and cases of the version as a new version; its name and description stay.
   * @returns the suite before and after
   * @throws ProblemError 404 when no run pins the version; 409 when it is the current one, or the team reached a quota
   */
  async restore(suiteId: string, version: number): Promise<Restored> {
    return new SuiteRepository(this.db, this.teamId).change(suiteId, async (client, suite) => {
      if (suite.version === version)
        throw new ProblemError(409, `Version ${version} is the current version of the suite.`);
      const { rows } = await client.query<{ id: string }>(
        'SELECT id FROM suite_version WHERE suite_id = $1 AND version = $2 FOR KEY SHARE',
        [suiteId, version],
      );
      if (!rows[0])
        throw new ProblemError(
          404,
          `Version ${version} of the suite is not stored: only versions of runs are kept.`,
        ).as('version_gone', { version });
      const versionId = rows[0].id;
      const before = await sizeOfSuite(client, suiteId);
      const restored = await client.query<RestoredRow>(
        `UPDATE suite s SET system_prompt = v.system_prompt, tools = v.tools, pass_threshold = v.pass_threshold,
           conversation = v.conversation
         FROM suite_version v WHERE s.id = $1 AND v.id = $2
         RETURNING s.system_prompt, s.tools, s.pass_threshold, s.conversation`,
        [suiteId, versionId],
      );
      const { tools, conversation, ...settings } = restored.rows[0]!;
      const removed = await client.query('DELETE FROM suite_case WHERE suite_id = $1', [suiteId]);
      const added = await client.query(
        `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
         SELECT case_id, $1, position, category, tags, body FROM suite_version_case WHERE version_id = $2`,
        [suiteId, versionId],
      );
      const now = await sizeOfSuite(client, suiteId);
      const growth = { cases: now.cases - before.cases, bytes: now.bytes - before.bytes };
      await checkSuiteSize(client, { teamId: this.teamId, suiteId }, growth);
      const after = {
        ...suite,
        ...settings,
        tools: jsonColumn<Tool[]>(tools),
        conversation: nullableJsonColumn<ConversationDefaults>(conversation),
        version: suite.version + 1,
      };
      return { before: { ...suite, cases: removed.rowCount! }, after: { ...after, cases: added.rowCount! } };
    });
  }
}
