import { EXAMPLE_IDS } from '#lib/contracts/examples/examples';
import { joinIdleApi } from '../api.js';
import { seed } from '../seed.js';

/** The part of `Walk` of walk.mjs that this file uses. */
interface Walk {
  faults: Map<string, object>;
  prepare(): Promise<void>;
  play(n: number): Promise<void>;
  stillness(): Promise<Map<string, string>>;
  endJobs(): Promise<object[]>;
}
/** One to most routes, by the seed of the commit; `npm run fuzz` sends more. */
const REQUESTS = 160;
const AT_ONCE = 8;
const CONVERSATIONS = 4;

it('hostile requests and packets are answered as documented, and neither show nor change another team', async () => {
  const api = await joinIdleApi();
  const { Walk } = (await import('./walk.mjs' as string)) as { Walk: new (of: object) => Walk };
  const { talk } = (await import('./sockets.mjs' as string)) as { talk: (walk: Walk, count: number) => Promise<void> };
  const walk = new Walk({
    url: api.url,
    token: api.operator.token,
    simulatorUrl: 'http://127.0.0.1:9',
    exampleIds: EXAMPLE_IDS,
    hasWorkers: false,
    seed,
  });
  await walk.prepare();
  const before = await walk.stillness();
  const talking = talk(walk, CONVERSATIONS);
  for (let n = 0; n < REQUESTS; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => walk.play(n + more)));
  await talking;
  expect(await walk.stillness()).toEqual(before);
  expect(await walk.endJobs()).toEqual([]);
  expect([...walk.faults.values()]).toEqual([]);
}, 60_000);
