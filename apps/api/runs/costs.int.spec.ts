import { TokenRepository } from '#lib/db/catalogue/tokens';
import { insertRow } from '#lib/db/connection/insert-row';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { claimItems } from '#lib/db/engine/claim-items';
import { dispatchLane } from '#lib/db/engine/dispatch-lane';
import { prepareRun } from '#lib/db/engine/prepare-run';
import { resumeRun } from '#lib/db/engine/resume-run';
import { settleItems, type Settlement } from '#lib/db/engine/settle-items';
import { createTeam, settlementOf } from '#lib/db/testing/run-fixture';
import { newId } from '#lib/runtime/ids';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';

let api: SharedApi;
beforeAll(async () => void (api = await joinIdleApi()));

type Team = Awaited<ReturnType<typeof createTeam>> & { client: Client; providerId: string };
const USAGE = { ...settlementOf({} as never).usage, promptTokens: 1000, completionTokens: 100 };
const SUMMARY = JSON.stringify({
  ...{ scored: 1, by_category: {}, latency_ms: { p50: 5 } },
  usage: { prompt_tokens: 1000, completion_tokens: 100 },
  cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 },
});

async function aPayingTeam(cases = 1): Promise<Team> {
  const team = await createTeam(api.pool, { cases, runningJobs: 50 });
  const { rows } = await api.pool.query<{ id: string }>('SELECT id FROM provider WHERE team_id = $1', [team.teamId]);
  const input = { name: 'pays', role: 'editor', expires_at: null } as const;
  const { secret } = await new TokenRepository(api.pool, team.teamId).create('ada', input);
  return { ...team, client: clientOf(api.url, secret), providerId: rows[0]!.id };
}

async function priced({ providerId }: Team, modelId: string, input: number | null): Promise<void> {
  await api.pool.query('DELETE FROM model WHERE provider_id = $1 AND model_id = $2', [providerId, modelId]);
  await insertRow(api.pool, 'model', {
    ...{ id: newId(), provider_id: providerId, position: 0, model_id: modelId, name: modelId, unsupported_params: [] },
    ...{ input_cost_per_mtok: input, output_cost_per_mtok: input },
  });
}

/** A run of one model whose items were settled like this. @returns its id */
async function settled(team: Team, more: Partial<Settlement>, asked: object = {}): Promise<string> {
  const { runId } = await team.submit(asked);
  await settle(team, runId, more);
  return runId;
}

async function settle(team: Team, runId: string, more: Partial<Settlement>): Promise<void> {
  const deliveries = await dispatchLane(api.pool, team.laneId, 100);
  await claimItems(api.pool, 'w', deliveries);
  await settleItems(
    api.pool,
    deliveries.map((one) => ({ ...settlementOf(one), ...more })),
  );
  await api.pool.query('UPDATE target SET finished_at = clock_timestamp(), summary = $2 WHERE run_id = $1', [
    runId,
    SUMMARY,
  ]);
}

const now = async ({ client }: Team, runId: string) =>
  (await client.get(`/api/tool-eval/history/${runId}?prices=current`)).body.current_cost;

describe('by current prices', () => {
  it('an uncounted result keeps its cost, whatever happened to its model', async () => {
    const team = await aPayingTeam();
    const old = await settled(team, { usage: { ...USAGE, promptTokens: null }, costUsd: 0.5 });
    const kept = { cost_usd: 0.5, targets: [{ billed_usd: 0.5, cost_usd: 0.5, by: 'prices' }] };
    expect(await now(team, old)).toMatchObject(kept);
    for (const input of [null, 1, 1000]) {
      await priced(team, 'a', input);
      expect(await now(team, old)).toMatchObject(kept);
    }
  });

  it('an uncounted, unbilled result stays unknown, and is not free', async () => {
    const team = await aPayingTeam();
    await priced(team, 'a', 1);
    const unknown = await settled(team, { usage: { ...USAGE, promptTokens: null, completionTokens: null } });
    expect(await now(team, unknown)).toMatchObject({ cost_usd: null, targets: [{ billed_usd: 0, cost_usd: null }] });
  });

  it('a counted result costs its current price, and failed requests cost nothing', async () => {
    const team = await aPayingTeam();
    const counted = await settled(team, { usage: USAGE, costUsd: 0.5 });
    expect(await now(team, counted)).toMatchObject({ cost_usd: null });
    await priced(team, 'a', 1000);
    expect(await now(team, counted)).toMatchObject({ cost_usd: 1.1, targets: [{ billed_usd: 0.5, cost_usd: 1.1 }] });
    const failed = await settled(team, { usage: { ...USAGE, promptTokens: null, completionTokens: null } }, {});
    await api.pool.query('UPDATE target SET errored = settled WHERE run_id = $1', [failed]);
    expect(await now(team, failed)).toMatchObject({ cost_usd: 0 });
  });

  it('a billed amount stays, and stored replies are free', async () => {
    const team = await aPayingTeam();
    await priced(team, 'a', 1000);
    const reported = await settled(team, { usage: { ...USAGE, reportedCostUsd: 0.25 }, costUsd: 0.25 });
    expect(await now(team, reported)).toMatchObject({ cost_usd: 0.25, targets: [{ by: 'provider' }] });
    const free = { ...{ usage: { ...USAGE, reportedCostUsd: 0.25 }, costUsd: 0 }, cached: true, attempts: 0 };
    const stored = await settled(team, free);
    expect(await now(team, stored)).toMatchObject({ cost_usd: 0, targets: [{ by: 'prices' }] });
    await priced(team, 'a', null);
    expect(await now(team, stored)).toMatchObject({ cost_usd: 0 });
  });

  it('a resumed run includes the cost of its errors, once', async () => {
    const team = await aPayingTeam();
    await priced(team, 'a', 1000);
    const gone = { outcome: 'errored', error: { kind: 'network', message: 'gone' } } as const;
    const runId = await settled(team, { usage: USAGE, costUsd: 0.5, result: gone });
    const { rows } = await api.pool.query<{ job_id: string }>('SELECT job_id FROM run WHERE id = $1', [runId]);
    await cancelJob(api.pool, { teamId: team.teamId, jobId: rows[0]!.job_id });
    await resumeRun(api.pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
    await prepareRun(api.pool, { id: runId }, 100);
    await settle(team, runId, { usage: USAGE, costUsd: 0.25 });
    const target = { billed_usd: 0.75, cost_usd: 2.2, by: 'prices' };
    expect(await now(team, runId)).toMatchObject({ cost_usd: 2.2, targets: [target] });
    const { body: run } = await team.client.get(`/api/tool-eval/history/${runId}`);
    expect(run.targets[0]).toMatchObject({ settled: 1, errored: 0, usage: { prompt_tokens: 2000 } });
    expect((await team.client.get('/api/settings/spending')).body.spent_usd).toBe(0.75);
    expect((await team.client.get('/api/spending')).body.total).toMatchObject({ cost_usd: 0.75, prompt_tokens: 2000 });
  });
});

it('a dollar budget applies to a model whose provider reports its bill, not to one that once had prices', async () => {
  const team = await aPayingTeam();
  await priced(team, 'a', null);
  await settled(team, { usage: USAGE, costUsd: 0.5 });
  const body = { suite_id: team.suiteId, models: ['sim::a'], budget: { max_cost_usd: 1 } };
  expect(await team.client.post('/api/tool-eval', body)).toMatchObject({ status: 422 });
  await settled(team, { usage: { ...USAGE, reportedCostUsd: 0.5 }, costUsd: 0.5 });
  expect(await team.client.post('/api/tool-eval', body)).toMatchObject({ status: 202 });
  await api.pool.query('UPDATE daily_spending SET day = day - 31 WHERE team_id = $1', [team.teamId]);
  expect(await team.client.post('/api/tool-eval', body)).toMatchObject({ status: 422 });
});

it('estimates use the last run with the same cache settings that called a model', async () => {
  const team = await aPayingTeam(10);
  await priced(team, 'a', 1);
  const read = (tokens: number) => ({ usage: { ...USAGE, cacheReadTokens: tokens }, costUsd: 1 });
  const rateOf = async (asked: object): Promise<number> => {
    const body = { suite_id: team.suiteId, models: ['sim::a'], cache: 'off', ...asked };
    return (await team.client.post('/api/tool-eval/estimate', body)).body.targets[0].cache_hit_rate;
  };
  await settled(team, read(500), { prompt_cache: '5m' });
  expect(await rateOf({})).toBe(0);
  await settled(team, read(900), { prompt_cache: '1h' });
  await settled(team, read(100));
  await settled(team, { ...read(0), attempts: 0, cached: true }, { prompt_cache: '1h' });
  expect(await rateOf({ prompt_cache: '5m' })).toBeCloseTo(0.5, 1);
  expect(await rateOf({ prompt_cache: '1h' })).toBeCloseTo(0.9, 1);
  expect(await rateOf({})).toBeCloseTo(0.1, 1);
});

it('an estimate from reported bills outlives a run of stored replies', async () => {
  const team = await aPayingTeam();
  await priced(team, 'a', null);
  await settled(team, { usage: { ...USAGE, reportedCostUsd: 0.5 }, costUsd: 0.5, attempts: 2 });
  await settled(team, { usage: USAGE, costUsd: 0, attempts: 0, cached: true });
  const body = { suite_id: team.suiteId, models: ['sim::a'], cache: 'off' };
  expect((await team.client.post('/api/tool-eval/estimate', body)).body.cost_usd).toBe(0.25);
});

it('an estimate includes the cache writes of the last run, for either lifetime', async () => {
  const team = await aPayingTeam(10);
  await priced(team, 'a', 1);
  await api.pool.query(
    'UPDATE model SET cache_write_5m_cost_per_mtok = 1e6, cache_write_1h_cost_per_mtok = 1e9 WHERE provider_id = $1',
    [team.providerId],
  );
  await settled(team, { usage: { ...USAGE, cacheWrite5mTokens: 100, cacheWrite1hTokens: 500 }, costUsd: 1 });
  const body = { suite_id: team.suiteId, models: ['sim::a'], cache: 'off' };
  const { targets } = (await team.client.post('/api/tool-eval/estimate', body)).body;
  const { prompt_tokens: tokens, cost_usd: cost } = targets[0];
  expect(Math.round(cost)).toBe(Math.round(tokens / 10) + 1000 * Math.round(tokens / 2));
});

it('every token count of a settled result is stored, and summed for its target', async () => {
  const team = await aPayingTeam(2);
  const cacheOf = { cacheReadTokens: 500, cacheWrite5mTokens: 40, cacheWrite1hTokens: 3, reasoningTokens: 20 };
  const runId = await settled(team, { usage: { ...USAGE, ...cacheOf, reportedCostUsd: 0.5 }, costUsd: 0.5 });
  const counts = (of: number) => ({
    ...{ prompt_tokens: 1000 * of, completion_tokens: 100 * of, cache_read_tokens: 500 * of },
    ...{ cache_write_5m_tokens: 40 * of, cache_write_1h_tokens: 3 * of, reasoning_tokens: 20 * of },
  });
  const { body: run } = await team.client.get(`/api/tool-eval/history/${runId}`);
  expect(run.targets[0].usage).toEqual({ ...counts(2), cache_hit_rate: 0.5 });
  const { rows } = await api.pool.query('SELECT * FROM result WHERE run_id = $1', [runId]);
  expect(rows).toMatchObject(Array(2).fill({ ...counts(1), cost_usd: 0.5, cost_reported: true }));
});
