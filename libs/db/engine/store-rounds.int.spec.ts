import { zstdCompressSync } from 'node:zlib';
import { createDatabase } from '../../../test/services.js';
import { NO_USAGE } from '#lib/contracts/cost';
import { createPool, type Pool } from '../connection/pool.js';
import { findConversations, findExchanges } from '../read/for-workers/exchanges.js';
import { exchangeJson, parseExchange } from '../read/stored-exchange.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { dyingPool } from '../testing/dying-pool.js';
import { claimItems } from './claim-items.js';
import { dispatchLane } from './dispatch-lane.js';
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
