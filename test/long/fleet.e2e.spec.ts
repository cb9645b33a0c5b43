// A private system of several workers: owners of lanes freeze, lose Postgres, are replaced or do not know each other.
import { countBefore } from '../../apps/worker/fleet/rendezvous.js';
import { weatherSuite } from '../client.js';
import { expectExact } from '../exact.js';
import { startProcess, type RunningProcess } from '../processes.js';
import { startSystem, type System } from '../system.js';
import { tcpProxy, type TcpProxy } from '../tcp-proxy.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

const PLAYS_ALL = process.env.TOOLMARK_TEST_ALL === '1';
const [LANES, CASES, ROUNDS] = PLAYS_ALL ? [12, 60, 6] : [4, 30, 1];

let system: System;
beforeAll(async () => {
  system = await startSystem({ workers: 0 });
  for (let n = 0; n < LANES; n++)
    await system.client.post('/api/providers', {
      key: `sim${n}`,
      base_url: `${system.simulator.url}/v1`,
      api_key: `key-${n}-of-the-simulator`, // Providers with the same address and key share a lane.
      limits: { max_concurrency: 4 },
      models: [{ id: 'slow-300' }],
    });
});

// Their ways to Postgres are silent by now, on which they would wait.
afterAll(() => leave([...fleet], 'SIGKILL'));

/** A worker, and how it is known to the others. */
interface Member {
  id: string;
  process: RunningProcess;
  /** Its way to Postgres. */
  way: TcpProxy;
}
const fleet: Member[] = [];
const workerIds = async (): Promise<string[]> =>
  (await system.sql.query<{ id: string }>('SELECT id FROM worker')).rows.map(({ id }) => id);

/** Starts workers one after the other, since only then it is clear which is which. */
async function join(count: number, options: { preload?: string } = {}): Promise<void> {
  for (let n = 0; n < count; n++) {
    const before = new Set(await workerIds());
    const way = await tcpProxy(new URL(system.databaseUrl));
    const env = { DATABASE_URL: way.url, REDIS_URL: system.redisUrl };
    const process = await startProcess('worker', env, options);
    const id = await until(async () => (await workerIds()).find((one) => !before.has(one)));
    fleet.push({ id, process, way });
  }
}
async function leave(members: Member[], signal: NodeJS.Signals): Promise<void> {
  await Promise.all(members.map(({ process }) => process.kill(signal)));
  for (const member of members) (fleet.splice(fleet.indexOf(member), 1), member.way.close());
}

async function ownerOf(lane: string): Promise<Member> {
  const { rows } = await system.sql.query<{ id: string }>('SELECT lane_id AS id FROM provider WHERE key = $1', [lane]);
  return fleet.find(({ id }) => countBefore(`lane ${rows[0]!.id}`, id, fleet) === 0)!;
}
async function submit(lanes: number[]): Promise<string> {
  const suite_id = await system.client.importSuite(weatherSuite(CASES));
  const models = lanes.map((n) => `sim${n}::slow-300`);
  const { status, body } = await system.client.post('/api/tool-eval', { suite_id, models, cache: 'off' });
  expect([status, body]).toEqual([202, expect.anything()]);
  return body.eval_id;
}
const settled = async (evalId: string): Promise<number> =>
  (await system.client.get(`/api/tool-eval/history/${evalId}`)).body.counts.settled;

it('a lane goes on when its owner freezes or loses Postgres, and when a third of the workers is replaced', async () => {
  await join(3, { preload: 'test/clock-ahead.mjs' }); // Their clocks are a minute ahead of those that come later.
  const all = Array.from({ length: LANES }, (_, n) => n);
  for (let round = 0; round < ROUNDS; round++) {
    const evalId = await submit(all);
    await until(async () => (await settled(evalId)) > 5);
    const frozen = await ownerOf('sim0');
    await frozen.process.kill('SIGSTOP');
    const later = await submit([0]); // Nobody but its frozen owner is to look after the lane.
    await untilRunCompleted(system.client, later);
    await frozen.process.kill('SIGCONT');

    const second = await submit(all);
    const cutOff = await ownerOf('sim1');
    cutOff.way.silence();
    await untilRunCompleted(system.client, second);
    cutOff.way.mend();

    const third = await submit(all);
    await join(1);
    await until(async () => (await settled(third)) > 5);
    await leave([fleet[0]!], 'SIGKILL');
    for (const id of [evalId, second, third]) {
      await untilRunCompleted(system.client, id);
      await expectExact(system.sql, id, LANES * CASES);
    }
    await expectExact(system.sql, later, CASES);
  }
});

it('workers that do not know each other settle every item once', async () => {
  let isForgetting = true;
  const forgetting = (async () => {
    while (isForgetting) await system.sql.query('DELETE FROM worker');
  })();
  const evalId = await submit([0, 1, 2]);
  await untilRunCompleted(system.client, evalId);
  isForgetting = false;
  await forgetting;
  await expectExact(system.sql, evalId, 3 * CASES);
});
