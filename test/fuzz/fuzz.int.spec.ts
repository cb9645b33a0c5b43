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

it('hostile requests to every route are answered as documented, and neither show nor change another team', async () => {
  const api = await joinIdleApi();
  const { Walk } = (await import('./walk.mjs' as string)) as { Walk: new (of: object) => Walk };
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
  for (let n = 0; n < REQUESTS; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => walk.play(n + more)));
  expect(await walk.stillness()).toEqual(before);
  expect(await walk.endJobs()).toEqual([]);
  expect([...walk.faults.values()]).toEqual([]);
}, 60_000);
