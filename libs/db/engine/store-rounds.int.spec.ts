import { zstdCompressSync } from 'node:zlib';
import { startItemWorker } from '../../../test/item-worker.js';
import { drawn, playsAll, repeatable } from '../../../test/seed.js';
import { createDatabase } from '../../../test/services.js';
import { NO_USAGE } from '#lib/contracts/cost';
import { newId } from '#lib/runtime/ids';
import { insertRow } from '../connection/insert-row.js';
import { createPool, type Pool } from '../connection/pool.js';
import { findConversations, findExchanges } from '../read/for-workers/exchanges.js';
import { exchangeJson, parseExchange } from '../read/stored-exchange.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { dyingPool } from '../testing/dying-pool.js';
import { claimItems } from './claim-items.js';
import { dispatchLane, type Delivery } from './dispatch-lane.js';
import { reconcileLane } from './reconcile-lane.js';
import { settleItems } from './settle-items.js';
import { storeRounds, type Round } from './store-rounds.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 5)));
afterAll(() => pool.end());

const packed = (value: object): Buffer => zstdCompressSync(JSON.stringify(value));
const usage = { ...NO_USAGE, promptTokens: 10, completionTokens: 2 };
const account = { attempts: 1, latencyMs: 5, usage, costUsd: 0.5 };
const bodyOf = (round: number): Buffer =>
  packed({
    requests: [{ messages: round === 0 ? ['hi'] : ['(the messages of the request before)'] }],
    replies: [`reply ${round}`],
    rounds: [0],
    conversation: [{ calls: [], user: `turn ${round}` }],
    next: [`reply ${round}`, `turn ${round}`],
    account,
  });

async function begun(of: { budget?: { max_requests: number } } = {}) {
  const team = await createTeam(pool);
  const { runId } = await team.submit(of);
  const deliveries = await dispatchLane(pool, team.laneId, 100);
  await claimItems(pool, 'w1', deliveries);
  const round = (n: number, item = 0): Round => {
    const delivery = deliveries[item]!;
    return { delivery, casePosition: delivery.item, sample: 0, round: n, account, body: bodyOf(n) };
  };
  const counted = async () =>
    (
      await pool.query(
        `SELECT requests, cost_usd AS cost, prompt_tokens::int AS tokens,
           (SELECT sum(cost_usd) FROM spending WHERE team_id = $2) AS spent,
           (SELECT sum(requests)::int FROM daily_spending WHERE team_id = $2) AS daily
         FROM target WHERE run_id = $1`,
        [runId, team.teamId],
      )
    ).rows[0];
  return { runId, deliveries, round, counted };
}

it('a round is counted once, whatever dies and is tried again; settlement counts what came after', async () => {
  const { runId, deliveries, round, counted } = await begun();
  const dying = dyingPool(pool, 1);
  await expect(storeRounds(dying.pool, [round(0)])).rejects.toThrow('dead');
  expect(await storeRounds(pool, [round(0)])).toEqual(['go on']);
  expect(await storeRounds(pool, [round(1)])).toEqual(['go on']);
  expect(await counted()).toEqual({ requests: 2, cost: 1, tokens: 20, spent: 1, daily: 2 });

  const last = packed({
    requests: [{ messages: ['(the messages of the request before)'] }],
    replies: ['bye'],
    rounds: [0],
    round: 2,
  });
  const total = { attempts: 3, usage: { ...usage, promptTokens: 30, completionTokens: 6 }, costUsd: 1.5 };
  const settlement = { ...settlementOf(deliveries[0]!), ...total, exchange: last, uncounted: account };
  await settleItems(pool, [settlement, settlementOf(deliveries[1]!)]);
  expect(await counted()).toEqual({ requests: 4, cost: 1.5, tokens: 40, spent: 1.5, daily: 4 });
  const { rows } = await pool.query(
    'SELECT attempts, cost_usd, prompt_tokens FROM result WHERE run_id = $1 ORDER BY seq',
    [runId],
  );
  expect(rows[0]).toEqual({ attempts: 3, cost_usd: 1.5, prompt_tokens: 30 });

  const [whole] = await findExchanges(pool, runId, [{ target: 0, casePosition: deliveries[0]!.item, sample: 0 }]);
  expect(parseExchange((await exchangeJson(whole!))!)).toMatchObject({
    requests: [
      { messages: ['hi'] },
      { messages: ['(the messages of the request before)', 'reply 0', 'turn 0'] },
      { messages: ['(the messages of the request before)', 'reply 1', 'turn 1'] },
    ],
    replies: ['reply 0', 'reply 1', 'bye'],
    rounds: [0, 1, 2],
    conversation: [{ user: 'turn 0' }, { user: 'turn 1' }],
  });
});

/** A conversation of three rounds, played by a process with this pool until it dies, and then by another. */
async function playedBy(db: Pool) {
  const team = await createTeam(pool, { cases: 1 });
  const { teamId, laneId: id, suiteId } = team;
  const { providerId } = team.target('a');
  const price = { input_cost_per_mtok: 50_000, output_cost_per_mtok: 0, unsupported_params: [] };
  await insertRow(pool, 'model', {
    id: newId(),
    provider_id: providerId,
    position: 0,
    model_id: 'a',
    name: 'a',
    ...price,
  });
  const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } }];
  const rule = { effects: [{ op: 'add', path: '/added/-', value: 1 }] };
  const conversation = { state: { added: [] }, tools: { add: [rule] }, goal: { state: { '/added': [1, 1] } } };
  await pool.query('UPDATE suite SET tools = $2 WHERE id = $1', [suiteId, JSON.stringify(tools)]);
  const body = JSON.stringify({ prompt: 'Please add twice.', conversation });
  await pool.query('UPDATE suite_case SET body = $2 WHERE suite_id = $1', [suiteId, body]);
  const { runId } = await team.submit({ tokenId: await team.cappedToken(100) });

  const asked = [0, 0, 0];
  const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const { messages } = JSON.parse(String(init!.body)) as { messages: { role: string }[] };
    const round = messages.filter(({ role }) => role === 'assistant').length;
    asked[round]! += 1;
    const call = { id: `c${round}`, type: 'function', function: { name: 'add', arguments: '{}' } };
    const message = {
      role: 'assistant',
      content: null,
      ...(round < 2 ? { tool_calls: [call] } : { content: 'Done.' }),
    };
    const reply = { choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 10, completion_tokens: 2 } };
    return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } });
  };
  const play = async (with_: Pool, deliveries: Delivery[]): Promise<void> => {
    const worker = startItemWorker(with_, { lane: { id, teamId }, fetch });
    for (const delivery of deliveries) await worker.process(delivery).catch(() => {});
    await worker.close();
  };
  await play(db, await dispatchLane(pool, id, 100));
  const expire = `UPDATE in_flight SET lease_until = now() - interval '1 s', queued_at = '-infinity' WHERE run_id = $1`;
  await pool.query(expire, [runId]);
  const { redeliver } = await reconcileLane(pool, id, 'w2', true, async (lost) => lost);
  await play(pool, redeliver);

  const { rows } = await pool.query(
    `SELECT t.settled, t.requests, t.cost_usd, t.prompt_tokens::int, t.completion_tokens::int,
       (SELECT count(*)::int FROM in_flight WHERE run_id = t.run_id) AS in_flight,
       (SELECT array_agg(round ORDER BY round) FROM conversation_round WHERE run_id = t.run_id) AS rounds,
       (SELECT sum(cost_usd) FROM spending WHERE team_id = $2) AS spent,
       (SELECT sum(cost_usd) FROM token_spending WHERE token_id = r.token_id) AS spent_by_token,
       (SELECT jsonb_agg(jsonb_build_array(d.results, d.requests, d.cost_usd, d.prompt_tokens)) FROM
         (SELECT sum(results) AS results, sum(requests) AS requests, sum(cost_usd) AS cost_usd,
            sum(prompt_tokens) AS prompt_tokens FROM daily_spending WHERE team_id = $2) d) AS daily,
       (SELECT jsonb_agg(jsonb_build_array(passed, attempts, cost_usd, prompt_tokens)) FROM result
         WHERE run_id = t.run_id) AS results
     FROM target t JOIN run r ON r.id = t.run_id WHERE t.run_id = $1`,
    [runId, teamId],
  );
  return { asked, ends: rows[0] as object };
}

// A commit plays every third of the deaths; `npm run test:soak` plays all.
it('a worker that dies after any statement of a conversation pays at most the request in flight again', async () => {
  const whole = dyingPool(pool, Infinity);
  const { asked, ends } = await playedBy(whole.pool);
  expect(asked).toEqual([1, 1, 1]);
  expect(ends).toEqual({
    ...{ settled: 1, in_flight: 0, rounds: [0, 1], results: [[true, 3, 1.5, 30]] },
    ...{ requests: 3, cost_usd: 1.5, prompt_tokens: 30, completion_tokens: 6 },
    ...{ spent: 1.5, spent_by_token: 1.5, daily: [[1, 3, 1.5, 30]] },
  });
  const stride = playsAll ? 1 : 3;
  const dieAfter = async (n: number): Promise<void> => {
    const dying = dyingPool(pool, n);
    const played = await playedBy(dying.pool);
    expect({ n, died: dying.died(), ends: played.ends }).toEqual({ n, died: true, ends });
    expect(Math.max(...played.asked)).toBeLessThanOrEqual(2);
    expect(played.asked.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(4);
  };
  const deaths = Array.from({ length: whole.statements() }, (_, index) => index + 1);
  expect(deaths.length).toBeGreaterThan(8);
  const first = drawn(stride);
  await repeatable(() => Promise.all(deaths.filter((n) => n % stride === first).map(dieAfter)));
});

it('a worker that lost an item, or whose run was stopped, stores no round of it', async () => {
  const { runId, round, counted } = await begun();
  await pool.query('UPDATE in_flight SET token = token + 1000000 WHERE run_id = $1', [runId]);
  expect(await storeRounds(pool, [round(0)])).toEqual(['lost']);
  expect(await counted()).toMatchObject({ requests: 0, cost: 0 });
  const places = [{ target: 0, casePosition: 0, sample: 0 }];
  expect(await findConversations(pool, runId, places)).toEqual([{ rounds: [], last: Buffer.alloc(0) }]);
});

it('a conversation waits where the budget has no room for half of each that is in flight', async () => {
  const { round } = await begun({ budget: { max_requests: 21 } });
  // Four are in flight, and none has said how many requests one takes: ten, perhaps.
  expect(await storeRounds(pool, [round(0)])).toEqual(['go on']);
  expect(await storeRounds(pool, [round(1)])).toEqual(['wait']);
});

it('a crash is counted against a round: those before one that was stored are forgotten', async () => {
  const { runId, round } = await begun();
  await pool.query('UPDATE in_flight SET crashes = 2 WHERE run_id = $1', [runId]);
  await storeRounds(pool, [round(0)]);
  const { rows } = await pool.query('SELECT crashes FROM in_flight WHERE run_id = $1 ORDER BY item LIMIT 2', [runId]);
  expect(rows).toEqual([{ crashes: 0 }, { crashes: 2 }]);
});
