import type { RunInput } from '#lib/contracts/run';
import { RunInput as RunInputSchema } from '#lib/contracts/run';
import type { Verdict } from '#lib/contracts/verdict';
import { newId } from '#lib/runtime/ids';
import type { Delivery } from '../engine/dispatch-lane.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Settlement } from '../engine/settle-items.js';
import { submitRun } from '../engine/submit-run.js';

/** A team with one user, one lane and one suite, written straight to the tables. */
export async function aTeam(pool: Pool, { cases = 4, runningJobs = 4 } = {}) {
  const [teamId, userId, laneId, providerId, suiteId] = [newId(), newId(), newId(), newId(), newId()];
  await pool.query('INSERT INTO team (id, name, running_jobs_per_user) VALUES ($1, $2, $3)', [
    teamId,
    teamId,
    runningJobs,
  ]);
  await pool.query('INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3)', [userId, teamId, 'ada']);
  await pool.query('INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency) VALUES ($1, $2, $3, $3, 8)', [
    laneId,
    teamId,
    'lane',
  ]);
  await pool.query(
    `INSERT INTO provider (id, team_id, key, name, kind, base_url, lane_id)
      VALUES ($1, $2, 'sim', 'Sim', 'openai', 'http://127.0.0.1:1/v1', $3)`,
    [providerId, teamId, laneId],
  );
  await pool.query(`INSERT INTO suite (id, team_id, name, tools) VALUES ($1, $2, 'Weather', '[]')`, [suiteId, teamId]);
  await pool.query(
    `INSERT INTO suite_case (id, suite_id, position, tags, body)
      SELECT gen_random_uuid(), $1, n, '{}', '{"prompt":"hi","expected_tool":null}'
     FROM generate_series(0, $2 - 1) n`,
    [suiteId, cases],
  );
  const input = (more: Partial<RunInput> = {}): RunInput =>
    RunInputSchema.parse({ suite_id: suiteId, models: ['sim::a'], ...more });
  return {
    teamId,
    userId,
    laneId,
    suiteId,
    async submit(
      {
        models = ['a'],
        userId: as = userId,
        ...more
      }: { models?: string[]; userId?: string } & Partial<Omit<RunInput, 'models'>> = {},
      db: Pool | PoolClient = pool,
    ) {
      return submitRun(db, {
        teamId,
        userId: as,
        suiteId,
        input: { ...input(more), metrics: [], cache: 'off' },
        targets: models.map((modelId) => ({
          providerId,
          providerKey: 'sim',
          modelId,
          laneId,
          priced: false,
          params: {},
          systemPrompt: null,
        })),
      });
    },
    async anotherUser(): Promise<string> {
      const id = newId();
      await pool.query('INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3)', [id, teamId, id]);
      return id;
    },
  };
}

const verdict: Verdict = {
  tool_score: 1,
  param_score: null,
  overall: 1,
  passed: true,
  error_type: 'none',
  format_compliance: 'none',
  called: [],
  abstention: true,
  evidence: { pairs: [], missing: [], unexpected: [] },
};

/** A settlement of a delivery whose item was right, or errored. */
export const settlementOf = (delivery: Delivery, outcome: 'scored' | 'errored' = 'scored'): Settlement => ({
  delivery,
  casePosition: delivery.item,
  sample: 0,
  category: null,
  result: outcome === 'scored' ? { outcome, verdict } : { outcome, error: { kind: 'network', message: 'gone' } },
  latencyMs: 5,
  promptTokens: 10,
  completionTokens: 2,
  costUsd: null,
  cached: false,
  attempts: 1,
  toolChoiceUsed: 'auto',
  exchange: Buffer.from('x'),
});
