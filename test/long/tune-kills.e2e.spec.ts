// A private system: its processes are killed.
import type { ParamTune } from '#lib/param-tune/contract';
import { weatherSuite } from '../client.js';
import { until } from '../processes.js';
import { openRestartableSystem, type RestartableSystem } from '../restartable-system.js';
import { playsAll } from '../seed.js';

const CASES = 40;
const MAX_CONCURRENCY = 4;

let system: RestartableSystem;
beforeAll(async () => void (system = await openRestartableSystem()), 150_000);
afterAll(() => system.close());

it('a tune whose processes are all killed at every step loses, repeats and pays nothing twice', async () => {
  const { client, rows } = system;
  const model = 'param-sensitive@40';
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: [model],
    limits: { max_concurrency: MAX_CONCURRENCY },
  });
  const suite_id = await client.importSuite(weatherSuite(CASES));
  const { body: experiment } = await client.post('/api/experiments', { name: 'e', suite_id });
  const submitted = (
    await client.post('/api/tool-eval/param-tune', {
      suite_id,
      models: [`sim::${model}`],
      mode: 'grid',
      search_space: { temperature: [0.3], tool_choice: ['required'], top_p: [0.3] },
      base: { temperature: 1, tool_choice: 'auto' },
      experiment_id: experiment.id,
      cache: 'off',
    })
  ).body;

  // Everything is killed once in each state that the tune reaches.
  const kills = await system.restartAtEachState(() => system.placeOf(submitted.tune_id));
  expect(kills).toBeGreaterThan(playsAll ? 8 : 0);

  const found: ParamTune = (await client.get(`/api/tool-eval/param-tune/history/${submitted.tune_id}`)).body;
  expect(found).toMatchObject({ status: 'completed', targets: [{ outcome: 'confirmed', recommended: { arm: 1 } }] });
  const children = await rows(
    `SELECT r.step || ' ' || r.arm AS made_for, r.status,
       (SELECT count(*)::int FROM result WHERE run_id = r.id) AS results
     FROM run r WHERE r.orchestration_id = $1 ORDER BY r.id`,
    [submitted.tune_id],
  );
  const [tuning, held] = [28, 12];
  const child = (madeFor: string, results: number) => ({ made_for: madeFor, status: 'completed', results });
  expect(children).toEqual([
    child('all 0.0', tuning),
    child('all 0.1', tuning),
    child('finalists 0.1', 3 * tuning),
    child('finalists 0.0', 3 * tuning),
    child('holdout 0.1', 3 * held),
    child('holdout 0.0', 3 * held),
    child('promote 0.1', CASES),
  ]);
  // Its log has each event once, without gaps.
  const log = await rows('SELECT seq, name FROM job_event WHERE job_id = $1 ORDER BY seq', [submitted.job_id]);
  expect(log.map(({ name }) => name)).toEqual([
    'job_created',
    'tune_start',
    ...Array.from({ length: 4 }, () => 'tune_combo_result'),
    'tune_complete',
    'job_completed',
  ]);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1));
  // Only requests in flight when their worker died are repeated.
  const requests = await system.requests(model);
  const settled = children.reduce((sum, { results }) => sum + results, 0);
  expect(requests).toBeGreaterThanOrEqual(settled);
  expect(requests).toBeLessThanOrEqual(settled + kills * MAX_CONCURRENCY);
  await until(async () => !(await client.get(`/api/experiments/${experiment.id}`)).body.refreshing);
}, 600_000);
