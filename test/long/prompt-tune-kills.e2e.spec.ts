// A private system: its processes are killed.
import type { PromptTune } from '#lib/prompt-tune/contract';
import { openRestartableSystem, type RestartableSystem } from '../restartable-system.js';
import { playsAll } from '../seed.js';
import { PHRASES, ROUTE, songSuite } from '../prompt-tune-system.js';

const CASES = 40;
const MAX_CONCURRENCY = 4;
const MODEL = 'prompt-sensitive@40:mortal';
const META = 'meta@200:mortal';

let system: RestartableSystem;
beforeAll(async () => void (system = await openRestartableSystem()), 150_000);
afterAll(() => system.close());

it('a prompt tune whose processes are all killed at every step loses, repeats and pays nothing twice', async () => {
  const { client, rows, simulator } = system;
  const control = (path: string, body: object) =>
    fetch(`${simulator.url}/control/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const [{ component, phrase, where, gain }] = PHRASES;
  await control(`prompt-sensitive/${encodeURIComponent(MODEL)}`, {
    base: 0.2,
    rules: [{ phrase, where, gain: gain + 0.4 }],
  });
  await control(`meta/${encodeURIComponent(META)}`, { rules: [{ when: component, append: phrase }] });
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    models: [{ id: MODEL }, { id: META }],
    limits: { max_concurrency: MAX_CONCURRENCY },
  });
  const suite_id = await client.importSuite(songSuite(CASES));
  const { body: experiment } = await client.post('/api/experiments', { name: 'e', suite_id });
  const { status, body: submitted } = await client.post(ROUTE, {
    suite_id,
    models: [`sim::${MODEL}`],
    meta_model: `sim::${META}`,
    mode: 'quick',
    variants: 2,
    components: [component],
    experiment_id: experiment.id,
    cache: 'off',
  });
  expect({ status, submitted }).toMatchObject({ status: 202 });

  // Everything is killed once in each state that the tune reaches.
  const kills = await system.restartAtEachState(() => system.placeOf(submitted.tune_id));
  expect(kills).toBeGreaterThan(playsAll ? 8 : 0);

  const found: PromptTune = (await client.get(`${ROUTE}/history/${submitted.tune_id}`)).body;
  expect(found).toMatchObject({ status: 'completed', outcome: 'confirmed', best: 1, evaluations: 2 * 28 });
  const children = await rows(
    `SELECT r.step || ' ' || (CASE WHEN r.step = 'meta' THEN '' ELSE split_part(r.arm, '.', 1) END) AS made_for,
       r.status,
       (SELECT count(*)::int FROM result WHERE run_id = r.id) AS results
     FROM run r WHERE r.orchestration_id = $1 ORDER BY r.id`,
    [submitted.tune_id],
  );
  const child = (madeFor: string, results: number) => ({ made_for: madeFor, status: 'completed', results });
  expect(children).toEqual([
    child('tuning 0', 28),
    child('meta ', 1),
    child('tuning 1', 28),
    child('finalists 0', 3 * 28),
    child('finalists 1', 3 * 28),
    child('holdout 1', 3 * 12),
    child('holdout 0', 3 * 12),
    child('promote 1', CASES),
  ]);
  // The second variant equals the first, so it is rejected and not paid for. One version keeps the text.
  expect((await client.get(`/api/prompt-versions?suite_id=${suite_id}`)).body.items).toHaveLength(1);
  const log = await rows('SELECT seq, name FROM job_event WHERE job_id = $1 ORDER BY seq', [submitted.job_id]);
  expect(log.map(({ name }) => name)).toEqual([
    'job_created',
    'tune_start',
    'tune_generation',
    'tune_complete',
    'job_completed',
  ]);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1));
  // Only requests in flight when their worker died are repeated.
  const requests = (await system.requests(MODEL)) + (await system.requests(META));
  const settled = children.reduce((sum, { results }) => sum + results, 0);
  expect(requests).toBeGreaterThanOrEqual(settled);
  expect(requests).toBeLessThanOrEqual(settled + kills * MAX_CONCURRENCY);
}, 600_000);
