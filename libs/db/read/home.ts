import type { HomeSuite } from '#lib/contracts/home';
import { FIRST_STEP_IDS, SIMULATOR, type FirstStepId } from '#lib/contracts/values/home';
import type { Pool } from '../connection/pool.js';
import { hasMarks } from '../catalogue/marks.js';
import { TeamScoped } from '../team-isolation.js';

const MAX_SUITES = 12;
/** Runs among which the suites that ran last are looked for. */
const LOOKED_AT = 1000;
const MAX_GATES = 50;

export interface LastRun {
  suite: HomeSuite['suite'];
  /** Null before the first run. */
  runId: string | null;
  simulated: boolean;
}

export interface GateToDecide {
  id: string;
  name: string;
  suite_id: string;
  suite_name: string | null;
  run_id: string;
  run_name: string | null;
  result: 'fail' | 'inconclusive';
}

const STEPS: Record<FirstStepId, string> = {
  provider: `EXISTS (SELECT FROM provider p JOIN model m ON m.provider_id = p.id
    WHERE p.team_id = $1 AND p.key <> '${SIMULATOR}')`,
  suite: 'EXISTS (SELECT FROM suite WHERE team_id = $1)',
  run: 'EXISTS (SELECT FROM run WHERE team_id = $1 AND listed)',
  baseline: `EXISTS (SELECT FROM experiment WHERE team_id = $1 AND baseline_set_by = 'user')
    OR EXISTS (SELECT FROM gate WHERE team_id = $1)`,
  colleague: `EXISTS (SELECT FROM users u JOIN person p ON p.id = u.person_id
    WHERE u.team_id = $1 AND p.kind = 'person' OFFSET 1)`,
};

/** What the first screen of a team shows, from what is stored already. */
export class HomeRepository extends TeamScoped<Pool> {
  /** The suites that ran last and then the newest, without those that the reader has archived. */
  async suites(userId: string): Promise<{ shown: LastRun[]; more: number }> {
    const isShown = hasMarks('suite', 's.id', ['$2', '$3', '$4']);
    const { rows } = await this.db.query<
      HomeSuite['suite'] & { run_id: string | null; simulated: boolean; all: number }
    >(
      `WITH newest AS (
         SELECT id, suite_id FROM run WHERE team_id = $1 AND listed ORDER BY id DESC LIMIT ${LOOKED_AT}
       ), last AS (SELECT suite_id, max(id::text)::uuid AS run_id FROM newest GROUP BY suite_id)
       SELECT s.id, s.name, s.version, last.run_id,
         (SELECT count(*)::int FROM suite s WHERE s.team_id = $1 AND ${isShown}) AS all,
         coalesce((SELECT bool_and(provider_key = '${SIMULATOR}') FROM target WHERE run_id = last.run_id), false)
           AS simulated
       FROM suite s LEFT JOIN last ON last.suite_id = s.id
       WHERE s.team_id = $1 AND ${isShown}
       ORDER BY last.run_id DESC NULLS LAST, s.id DESC LIMIT ${MAX_SUITES}`,
      [this.teamId, userId, null, 'false'],
    );
    return {
      shown: rows.map(({ id, name, version, run_id: runId, simulated }) => ({
        suite: { id, name, version },
        runId,
        simulated,
      })),
      more: Math.max(0, (rows[0]?.all ?? 0) - rows.length),
    };
  }

  /** The gates whose last answer is not a pass. */
  async gatesToDecide(): Promise<GateToDecide[]> {
    const { rows } = await this.db.query<GateToDecide>(
      `SELECT g.id, g.name, g.suite_id, s.name AS suite_name, l.run_id, r.name AS run_name, l.result
       FROM (SELECT * FROM gate WHERE team_id = $1 ORDER BY id DESC LIMIT ${MAX_GATES}) g
         CROSS JOIN LATERAL (
           SELECT run_id, answer::json ->> 'result' AS result FROM gate_look
           WHERE gate_id = g.id ORDER BY created_at DESC LIMIT 1
         ) l
         LEFT JOIN suite s ON s.id = g.suite_id AND s.team_id = $1 LEFT JOIN run r ON r.id = l.run_id
       WHERE l.result IN ('fail', 'inconclusive') ORDER BY g.id DESC`,
      [this.teamId],
    );
    return rows;
  }

  async firstSteps(): Promise<{ id: FirstStepId; done: boolean }[]> {
    const { rows } = await this.db.query<Record<FirstStepId, boolean>>(
      `SELECT ${FIRST_STEP_IDS.map((id) => `(${STEPS[id]}) AS ${id}`).join(', ')}`,
      [this.teamId],
    );
    return FIRST_STEP_IDS.map((id) => ({ id, done: rows[0]![id] }));
  }
}
