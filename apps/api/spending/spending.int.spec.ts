import type { SpendingReport } from '#lib/contracts/spending';
import { TokenRepository } from '#lib/db/catalogue/tokens';
import { storeEmbeddings } from '#lib/db/catalogue/embedding-vectors';
import { createPool } from '#lib/db/connection/pool';
import { claimItems } from '#lib/db/engine/claim-items';
import { dispatchLane, type Delivery } from '#lib/db/engine/dispatch-lane';
import { settleItems } from '#lib/db/engine/settle-items';
import { createTeam, settlementOf } from '#lib/db/testing/run-fixture';
import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';

let api: SharedApi;
beforeAll(async () => void (api = await joinIdleApi()));

type Team = Awaited<ReturnType<typeof createTeam>>;
const AROUND_NOW = ((now) => `from=${dayOf(now - 86_400_000)}&to=${dayOf(now + 2 * 86_400_000)}`)(Date.now());
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A new team, read through one of its viewers. */
async function aViewedTeam(cases?: number): Promise<{ team: Team; viewer: Client }> {
  const team = await createTeam(api.pool, { cases });
  const input = { name: 'looks', role: 'viewer', expires_at: null } as const;
  const { secret } = await new TokenRepository(api.pool, team.teamId).create('ada', input);
  return { team, viewer: clientOf(api.url, secret) };
}

async function dispatched({ laneId }: Team): Promise<Delivery[]> {
  const deliveries = await dispatchLane(api.pool, laneId, 5000);
  await claimItems(api.pool, 'w', deliveries);
  return deliveries;
}

interface Row {
  day: string;
  provider_key: string;
  user_id: string;
  suite_id: string;
  model_id: string;
  shard: number;
  suite_name: string;
  prompt_tokens: number;
  cache_read_tokens: number;
  cost_usd: number;
}
async function spent({ teamId, userId, suiteId }: Team, rows: Partial<Row>[]): Promise<void> {
  for (const row of rows) {
    const all = {
      team_id: teamId,
      provider_key: 'sim',
      ...{ day: '2026-03-01', user_id: userId, suite_id: suiteId, model_id: 'a', shard: 0, suite_name: 'Weather' },
      ...{ results: 1, requests: 2, prompt_tokens: 10, cost_usd: 1, ...row },
    };
    const names = Object.keys(all);
    await api.pool.query(
      `INSERT INTO daily_spending (${names.join(', ')}) VALUES (${names.map((_name, n) => `$${n + 1}`).join(', ')})`,
      Object.values(all),
    );
  }
}

const report = async (viewer: Client, query: string): Promise<SpendingReport> => {
  const { status, body } = await viewer.get(`/api/spending?${query}`);
  expect([query, status, status === 200 ? '' : body]).toEqual([query, 200, '']);
  return body;
};
const NOTHING = {
  ...{ cost_usd: 0, requests: 0, results: 0, prompt_tokens: 0, completion_tokens: 0, cache_read_tokens: 0 },
  ...{ cache_write_5m_tokens: 0, cache_write_1h_tokens: 0, reasoning_tokens: 0, cache_hit_rate: null },
};

it('a settled result counts for its day, model, suite and person, and outlives its run and suite', async () => {
  const { team, viewer } = await aViewedTeam(3);
  const grace = await team.anotherUser();
  const { runId } = await team.submit({ models: ['a', 'b'], model_order: 'parallel' });
  await team.submit({ models: ['a'], userId: grace });
  const deliveries = await dispatched(team);
  await settleItems(
    api.pool,
    deliveries.map((one) => ({ ...settlementOf(one), costUsd: one.runId === runId ? 0.5 : 0.25, attempts: 2 })),
  );
  const query = `${AROUND_NOW}&by=person,model,suite`;
  const figures = { requests: 6, results: 3, prompt_tokens: 30, completion_tokens: 6, cache_hit_rate: 0 };
  const suite = { id: team.suiteId, name: 'Weather', deleted: false };
  const ada = { id: team.userId, name: 'ada' };
  const expected = [
    { person: ada, model: 'sim::a', suite, cost_usd: 1.5, ...figures },
    { person: ada, model: 'sim::b', suite, cost_usd: 1.5, ...figures },
    { person: { id: grace, name: grace }, model: 'sim::a', suite, cost_usd: 0.75, ...figures },
  ];
  const before = await report(viewer, query);
  expect(before.items).toMatchObject(expected);
  expect(before.items).toHaveLength(3);
  expect(before.total).toMatchObject({ cost_usd: 3.75, requests: 18, results: 9, prompt_tokens: 90 });

  await api.pool.query('DELETE FROM result WHERE run_id = $1', [runId]);
  await api.pool.query('DELETE FROM run WHERE id = $1', [runId]);
  await api.pool.query('DELETE FROM suite WHERE id = $1', [team.suiteId]);
  await api.pool.query('DELETE FROM users WHERE id = $1', [grace]);
  const after = await report(viewer, query);
  expect(after.total).toEqual(before.total);
  expect(after.items.map((item) => [item.suite, item.person])).toEqual([
    [{ ...suite, deleted: true }, ada],
    [{ ...suite, deleted: true }, ada],
    [
      { ...suite, deleted: true },
      { id: grace, name: null },
    ],
  ]);
});

it('a result without a request is not counted, whatever settles with it', async () => {
  const { team, viewer } = await aViewedTeam(3);
  await team.submit();
  const free = { attempts: 0, costUsd: 0, cached: true };
  await settleItems(
    api.pool,
    (await dispatched(team)).map((one, n) => ({ ...settlementOf(one), costUsd: 0.5, ...(n > 0 && free) })),
  );
  const { total } = await report(viewer, AROUND_NOW);
  expect(total).toMatchObject({ results: 1, requests: 1, prompt_tokens: 10, completion_tokens: 2, cost_usd: 0.5 });
});

it('sums cover all shards, ordered by day and then cost, and embeddings have no person', async () => {
  const { team, viewer } = await aViewedTeam();
  await spent(team, [
    { day: '2026-03-02', shard: 0, cost_usd: 1, cache_read_tokens: 5 },
    { day: '2026-03-02', shard: 3, cost_usd: 2 },
    { day: '2026-03-02', model_id: 'b', cost_usd: 4, prompt_tokens: 0 },
    { day: '2026-03-01', model_id: 'c', cost_usd: 0.5 },
    { day: '2026-02-28', model_id: 'c', cost_usd: 100 },
  ]);
  const march = 'from=2026-03-01&to=2026-03-31';
  expect(await report(viewer, `${march}&by=model&by=day`)).toMatchObject({
    ...{ from: '2026-03-01', to: '2026-03-31', by: ['model', 'day'] },
    total: { cost_usd: 7.5, requests: 8, prompt_tokens: 30, cache_read_tokens: 5, cache_hit_rate: 5 / 30 },
    items: [
      { day: '2026-03-01', model: 'sim::c', cost_usd: 0.5 },
      { day: '2026-03-02', model: 'sim::b', cost_usd: 4, cache_hit_rate: null },
      { day: '2026-03-02', model: 'sim::a', cost_usd: 3, requests: 4, results: 2, cache_hit_rate: 0.25 },
    ],
  });
  const costs = async (query: string) => (await report(viewer, query)).items.map((item) => item.cost_usd);
  expect(await costs(march)).toEqual([0.5, 7]);
  expect(await costs(`${march}&by=model`)).toEqual([4, 3, 0.5]);
  expect(await costs(`${march}&by=model&model=sim::a&model=c`)).toEqual([3, 0.5]);
  await spent(team, [{ day: '2026-03-02', provider_key: 'acme', cost_usd: 2.5 }]);
  expect((await report(viewer, `${march}&by=provider`)).items).toMatchObject([
    { provider: 'sim', cost_usd: 7.5 },
    { provider: 'acme', cost_usd: 2.5 },
  ]);
  expect(await costs(`${march}&by=model,provider&provider=acme`)).toEqual([2.5]);
  await api.pool.query(`DELETE FROM daily_spending WHERE team_id = $1 AND provider_key = 'acme'`, [team.teamId]);
  expect(await costs(`${march}&suite_id=${team.userId}`)).toEqual([]);
  expect(await costs(`${march}&person=${team.userId}&suite_id=${team.suiteId}`)).toEqual([0.5, 7]);
  expect(await costs('from=2025-03-02&to=2026-03-02&by=suite')).toEqual([107.5]);

  const bill = { providerKey: 'sim', modelId: 'embeds', tokens: 9, costUsd: 0.125 };
  await storeEmbeddings(api.pool, team.teamId, 'm', [], bill, false);
  const nobody = { suite: null, person: null, model: 'sim::embeds', requests: 1, results: 0, prompt_tokens: 9 };
  expect((await report(viewer, `${AROUND_NOW}&by=suite,person,model`)).items).toMatchObject([nobody]);
});

it('a suite has its current name, or the last one that was billed', async () => {
  const { team, viewer } = await aViewedTeam();
  const gone = 'ffffffff-0000-4000-8000-000000000001';
  await spent(team, [
    { day: '2026-03-01', suite_name: 'Wether' },
    { day: '2026-03-01', suite_id: gone, suite_name: 'First' },
    { day: '2026-03-09', suite_id: gone, suite_name: 'Last' },
  ]);
  const { items } = await report(viewer, 'from=2026-03-01&to=2026-03-02&by=suite');
  expect(items.map((item) => item.suite).sort((one, other) => (one!.id < other!.id ? -1 : 1))).toEqual([
    { id: team.suiteId, name: 'Weather', deleted: false },
    { id: gone, name: 'Last', deleted: true },
  ]);
});

it('without a period it is this month, and another team sees nothing', async () => {
  const { team, viewer } = await aViewedTeam();
  const today = (await api.pool.query(`SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`)).rows[0].day;
  await spent(team, [{ day: today }]);
  expect(await report(viewer, '')).toMatchObject({
    from: `${today.slice(0, 8)}01`,
    by: ['day'],
    items: [{ day: today, cost_usd: 1 }],
  });
  expect(await report(api.client, `suite_id=${team.suiteId}&by=suite`)).toMatchObject({ total: NOTHING, items: [] });
});

it.each([
  ['by=week', 400, '/by/0'],
  ['by=', 400, '/by/0'],
  ['by=day,', 400, '/by/1'],
  ['by=day&by=__proto__', 400, '/by/1'],
  ['from=2026-02-30', 400, '/from'],
  ['from=1026-02-03', 400, '/from'],
  ['from=2026-2-3', 400, '/from'],
  ['to=tomorrow', 400, '/to'],
  ['from=2026-03-01&from=2026-03-02', 400, '/from'],
  ['from=', 400, '/from'],
  ['suite_id=Weather', 400, '/suite_id/0'],
  ['person=ada', 400, '/person/0'],
  ['model=', 400, '/model/0'],
  ['provider=', 400, '/provider/0'],
  ['group=day', 400, '/group'],
  ['from=2026-03-02&to=2026-03-01', 422, '/from'],
  ['to=2020-01-01', 422, '/from'],
  ['from=2024-03-01', 422, '/from'],
  ['from=2025-03-01&to=2026-03-02', 422, '/to'],
])('%s is refused with %i at "%s"', async (query, status, path) => {
  const answer = await api.client.get(`/api/spending?${query}`);
  expect(answer).toMatchObject({
    status,
    body: { errors: expect.arrayContaining([expect.objectContaining({ path })]) },
  });
});

it('too many groups are refused with a way to reduce them', async () => {
  const { team, viewer } = await aViewedTeam();
  await api.pool.query(
    `INSERT INTO daily_spending (team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name)
     SELECT $1, '2026-03-01', $2, $3, 'sim', n::text, 0, 'Weather' FROM generate_series(1, 5001) n`,
    [team.teamId, team.userId, team.suiteId],
  );
  const query = 'from=2026-03-01&to=2026-03-01&by=model';
  const { status, body } = await viewer.get(`/api/spending?${query}`);
  expect([status, body.detail]).toEqual([422, expect.stringMatching(/5000 groups\. Group by fewer .*shorter period/)]);
  await api.pool.query(`DELETE FROM daily_spending WHERE team_id = $1 AND model_id = '1'`, [team.teamId]);
  expect((await report(viewer, query)).items).toHaveLength(5000);
  expect((await report(viewer, query.replace('model', 'day'))).items).toHaveLength(1);
});

it('concurrent settlements of a team do not deadlock, and none is lost', async () => {
  const { team, viewer } = await aViewedTeam(20);
  const users = [team.userId, await team.anotherUser(), await team.anotherUser()];
  for (const userId of users)
    for (const models of [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ])
      await team.submit({ models, userId, model_order: 'parallel' });
  const random = seededRandom(7);
  const deliveries = (await dispatched(team))
    .map((delivery) => ({ delivery, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ delivery }) => delivery);
  expect(deliveries).toHaveLength(360);
  const batches = Array.from({ length: 200 }, (_, n) => deliveries.filter((_delivery, index) => index % 200 === n));
  const bill = { providerKey: 'sim', modelId: 'embeds', tokens: 1, costUsd: 0.25 };
  const pool = createPool(api.databaseUrl, 12);
  try {
    await Promise.all([
      ...batches.map((batch) =>
        settleItems(
          pool,
          batch.map((one) => ({ ...settlementOf(one), costUsd: 0.25 })),
        ),
      ),
      ...Array.from({ length: 50 }, () => storeEmbeddings(pool, team.teamId, 'm', [], bill, false)),
    ]);
  } finally {
    await pool.end();
  }
  const { total } = await report(viewer, `${AROUND_NOW}&by=suite`);
  const all = deliveries.length;
  expect(total).toMatchObject({ results: all, requests: all + 50, cost_usd: (all + 50) / 4 });
  expect((await viewer.get('/api/settings/spending')).body.spent_usd).toBe(total.cost_usd);
});

it('a worker of the previous release is counted too, and one of this release includes cache use', async () => {
  const { team, viewer } = await aViewedTeam(2);
  await team.submit();
  const [first, second] = await dispatched(team);
  const settle = (delivery: Delivery, further: string) =>
    api.pool.query(
      `SELECT settle_items(
         p_version => 1, p_run => ARRAY[$1::uuid], p_target => ARRAY[$2::int], p_item => ARRAY[$3::int],
         p_token => ARRAY[$4::bigint], p_case => ARRAY[$3::int], p_sample => '{0}', p_category => '{NULL}',
         p_outcome => '{scored}', p_passed => '{true}', p_tool => '{1}', p_param => '{NULL}', p_overall => '{1}',
         p_error_type => '{none}', p_format => '{none}', p_abstention => '{true}', p_called => ARRAY['[]'],
         p_evidence => '{NULL}', p_metrics => '{NULL}', p_latency => '{5}', p_prompt_tokens => '{100}',
         p_completion_tokens => '{7}', p_cost => '{0.5}', p_cached => '{false}', p_attempts => '{1}',
         p_error_kind => '{NULL}', p_error_message => '{NULL}', p_tool_choice => '{auto}',
         p_exchange => ARRAY['x'::bytea], p_syntax => '{NULL}' ${further})`,
      [delivery.runId, delivery.target, delivery.item, delivery.token],
    );
  await settle(first!, '');
  const counted = { results: 1, requests: 1, prompt_tokens: 100, completion_tokens: 7, cost_usd: 0.5 };
  expect((await report(viewer, AROUND_NOW)).total).toEqual({ ...NOTHING, ...counted, cache_hit_rate: 0 });
  await settle(
    second!,
    `, p_cache_read => '{80}', p_cache_write_5m => '{4}', p_cache_write_1h => '{2}', p_reasoning => '{3}',
       p_cost_reported => '{true}'`,
  );
  expect((await report(viewer, AROUND_NOW)).total).toEqual({
    ...{ results: 2, requests: 2, prompt_tokens: 200, completion_tokens: 14, cost_usd: 1, cache_hit_rate: 0.4 },
    ...{ cache_read_tokens: 80, cache_write_5m_tokens: 4, cache_write_1h_tokens: 2, reasoning_tokens: 3 },
  });
});

it('a run of stored replies spends nothing, and creates no group', async () => {
  const { team, viewer } = await aViewedTeam(2);
  await team.submit();
  const deliveries = await dispatched(team);
  const stored = { attempts: 0, cached: true, costUsd: 0 };
  await settleItems(
    api.pool,
    deliveries.map((delivery) => ({ ...settlementOf(delivery), ...stored })),
  );
  const { body } = await viewer.get(`/api/spending?${AROUND_NOW}&by=model`);
  expect(body).toMatchObject({ total: { requests: 0, cost_usd: 0 }, items: [] });
});

it('a team with slow queries waits for itself, and another team is served', async () => {
  const [{ viewer }, { viewer: beside }] = [await aViewedTeam(), await aViewedTeam()];
  const lock = await api.pool.connect();
  try {
    await lock.query('BEGIN; LOCK TABLE daily_spending');
    const asked = Array.from({ length: 40 }, () => viewer.get('/api/spending'));
    const refused = await Promise.race(asked);
    expect([refused.status, refused.body.detail]).toEqual([
      429,
      expect.stringMatching(/30 spending queries of this team/),
    ]);
    expect(await beside.get('/api/settings/spending')).toMatchObject({ status: 200 });
    await lock.query('ROLLBACK');
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    // One is answered and thirty wait; some of the later ones may find a free place by then.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(31);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
});
