import type { ListedCase } from '#lib/contracts/suite';
import { TeamScoped } from '../team-isolation.js';

/** The newest run of a suite whose results are counted. */
export interface LastRun {
  runId: string;
  generation: number;
  versionId: string;
  targets: string[];
}

/** So many of the newest runs are looked at: those that are going on are not counted yet. */
const LOOKED_AT = 20;

interface FiguresRow {
  case_id: string;
  passed: number[];
  scored: number[];
  errored: number[];
}

/** How models did on the cases of a team's suites, from what was counted when the last run ended. */
export class LastVerdictRepository extends TeamScoped {
  async newestRun(suiteId: string): Promise<LastRun | undefined> {
    const { rows } = await this.db.query<LastRun>(
      `SELECT r.id AS "runId", r.generation, r.suite_version_id AS "versionId",
         ARRAY(SELECT provider_key || '::' || model_id FROM target WHERE run_id = r.id ORDER BY ordinal) AS targets
       FROM (
         SELECT id, generation, suite_version_id FROM run WHERE suite_id = $1 AND team_id = $2 AND listed
         ORDER BY suite_id DESC, id DESC LIMIT ${LOOKED_AT}
       ) r JOIN run_figures f ON f.run_id = r.id AND f.scoring_id = r.id AND f.generation = r.generation
       WHERE f.counted_at IS NOT NULL ORDER BY r.id DESC LIMIT 1`,
      [suiteId, this.teamId],
    );
    return rows[0];
  }

  /** @returns by case; cases that the run did not have are missing */
  async ofCases(run: LastRun, caseIds: readonly string[]): Promise<Map<string, NonNullable<ListedCase['last_run']>>> {
    const { runId, targets } = run;
    const { rows } = await this.db.query<FiguresRow>(
      `SELECT v.case_id, c.passed, c.scored, c.errored
       FROM run r JOIN suite_version_case v ON v.version_id = r.suite_version_id AND v.case_id = ANY($3)
       JOIN case_figures c ON c.run_id = r.id AND c.scoring_id = r.id AND c.generation = $4 AND c.position = v.position
       WHERE r.id = $1 AND r.team_id = $2`,
      [runId, this.teamId, caseIds, run.generation],
    );
    return new Map(
      rows.map(({ case_id: id, passed, scored, errored }) => [
        id,
        {
          run_id: runId,
          models: targets.map((target, nth) => ({
            target,
            passed: passed[nth] ?? 0,
            scored: scored[nth] ?? 0,
            errored: errored[nth] ?? 0,
          })),
        },
      ]),
    );
  }
}
