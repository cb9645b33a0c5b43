import { NO_USAGE } from '#lib/contracts/cost';
import { RunInput as RunInputSchema, type RunInput } from '#lib/contracts/run-input';
import type { Verdict } from '#lib/contracts/verdict';
import { newId } from '#lib/runtime/ids';
import { insertRow } from '../connection/insert-row.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Delivery } from '../engine/dispatch-lane.js';
import type { Settlement } from '../engine/settle-items.js';
import { submitRun, type ResolvedTarget } from '../engine/submit-run.js';

const PROVIDER_KEY = 'sim';

/** A team with one user, one lane and one suite, written directly to the tables. */
export async function createTeam(pool: Pool, { cases = 4, runningJobs = 4 } = {}) {
  const [teamId, userId, laneId, providerId, suiteId] = [newId(), newId(), newId(), newId(), newId()];
  await insertRow(pool, 'team', { id: teamId, name: teamId, running_jobs_per_user: runningJobs });
  await insertRow(pool, 'users', { id: userId, team_id: teamId, name: 'ada' });
  await insertRow(pool, 'lane', { id: laneId, team_id: teamId, name: 'lane', fingerprint: 'lane', max_concurrency: 8 });
  await insertRow(pool, 'provider', {
    id: providerId,
    team_id: teamId,
    key: PROVIDER_KEY,
    name: 'Sim',
    kind: 'openai',
    base_url: 'http://127.0.0.1:1/v1',
    lane_id: laneId,
  });
  await insertSuite(pool, teamId, suiteId, cases);
  const target = (modelId: string): ResolvedTarget => ({
    providerId,
    providerKey: PROVIDER_KEY,
    modelId,
    laneId,
    priced: false,
    params: {},
    systemPrompt: null,
  });
  type Submitted = { models?: string[]; userId?: string; tokenId?: string | null } & Partial<Omit<RunInput, 'models'>>;
  return {
    teamId,
    userId,
    laneId,
    suiteId,
    /** The target of one of its models. */
    target,
    submit(
      { models = ['a'], userId: as = userId, tokenId = null, ...more }: Submitted = {},
      db: Pool | PoolClient = pool,
    ) {
      const input = RunInputSchema.parse({ suite_id: suiteId, models: [`${PROVIDER_KEY}::a`], ...more });
      const own = { metrics: [], cache: 'off' as const, max_tokens: input.max_tokens ?? null };
      const submission = { teamId, userId: as, tokenId, suiteId, input: { ...input, ...own } };
      return submitRun(db, { ...submission, targets: models.map(target) });
    },
    /** A token with a monthly cap. */
    async cappedToken(monthly_cap_usd: number): Promise<string> {
      const id = newId();
      const of = { team_id: teamId, user_id: userId, name: 'ci', role: 'editor', hash: id };
      await insertRow(pool, 'token', { id, ...of, monthly_cap_usd });
      return id;
    },
    async anotherUser(): Promise<string> {
      const id = newId();
      await insertRow(pool, 'users', { id, team_id: teamId, name: id });
      return id;
    },
  };
}

async function insertSuite(pool: Pool, teamId: string, suiteId: string, cases: number): Promise<void> {
  await insertRow(pool, 'suite', { id: suiteId, team_id: teamId, name: 'Weather', tools: '[]' });
  await pool.query(
    `INSERT INTO suite_case (id, suite_id, position, tags, body)
     SELECT gen_random_uuid(), $1, n, '{}', '{"prompt":"hi","expected_tool":null}' FROM generate_series(0, $2 - 1) n`,
    [suiteId, cases],
  );
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

/** A settlement of a delivery whose item passed or errored. */
export const settlementOf = (delivery: Delivery, outcome: 'scored' | 'errored' = 'scored'): Settlement => ({
  delivery,
  casePosition: delivery.item,
  sample: 0,
  category: null,
  result: outcome === 'scored' ? { outcome, verdict } : { outcome, error: { kind: 'network', message: 'gone' } },
  latencyMs: 5,
  usage: { ...NO_USAGE, promptTokens: 10, completionTokens: 2 },
  costUsd: null,
  cached: false,
  attempts: 1,
  toolChoiceUsed: 'auto',
  exchange: Buffer.from('x'),
});
