import { ProblemError } from '#lib/contracts/input/problem';
import { TeamScoped } from '../team-isolation.js';
import { SuiteRepository } from './suites.js';

/** Makes an earlier version of a suite its current one. */
export class RestoreVersionRepository extends TeamScoped {
  /**
   * The suite gets the tools, settings and cases of the version as a new version; its name and description stay.
   * @throws ProblemError 404 when no run pins the version; 409 when it is the current one
   */
  async restore(suiteId: string, version: number): Promise<void> {
    await new SuiteRepository(this.db, this.teamId).change(suiteId, async (client, suite) => {
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
      await client.query(
        `UPDATE suite s SET system_prompt = v.system_prompt, tools = v.tools, pass_threshold = v.pass_threshold
         FROM suite_version v WHERE s.id = $1 AND v.id = $2`,
        [suiteId, versionId],
      );
      await client.query('DELETE FROM suite_case WHERE suite_id = $1', [suiteId]);
      await client.query(
        `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
         SELECT case_id, $1, position, category, tags, body FROM suite_version_case WHERE version_id = $2`,
        [suiteId, versionId],
      );
    });
  }
}
