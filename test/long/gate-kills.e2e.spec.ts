// A private system: its processes are killed.
import { isFinished } from '#lib/contracts/values/jobs';
import { weatherSuite } from '../client.js';
import { openRestartableSystem, type RestartableSystem } from '../restartable-system.js';
import { playsAll } from '../seed.js';
import { untilJobCompleted } from '../until-ended.js';

const CASES = 40;
const MAX_CONCURRENCY = 4;

let system: RestartableSystem;
beforeAll(async () => void (system = await openRestartableSystem()), 150_000);
afterAll(() => system.close());

it('a gate run whose processes are all killed at every step loses, repeats and pays nothing twice', async () => {
  const { client, rows, simulator } = system;
  const model = 'prompt-sensitive:sure@40';
  await fetch(`${simulator.url}/control/prompt-sensitive/sure@40`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ base: 0.85, rules: [] }),
  });
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    models: [model],
    limits: { max_concurrency: MAX_CONCURRENCY },
  });
  const suiteId = await client.importSuite(weatherSuite(CASES));
  const run = { suite_id: suiteId, models: [`sim::${model}`], cache: 'off' };
  const baseline = (await client.post('/api/tool-eval', run)).body;
  await untilJobCompleted(client, baseline.job_id);
  const rules = { name: 'main', suite_id: suiteId, baseline: { eval_id: baseline.eval_id }, margin: 0.05, looks: 3 };
  const gate = (await client.post('/api/gates', rules)).body;
  const submitted = (await client.post(`/api/gates/${gate.id}/run`, {})).body;

  // The state of the gate run: in each state it reaches, everything is killed once.
  const placeOf = async (): Promise<string> => {
    const [{ status, step, looks, children }] = await rows(
      `SELECT j.status, o.step, o.state::json -> 'looks' -> -1 ->> 'look' AS looks, (
         SELECT string_agg(r.step || ' ' || r.arm || ' ' || r.status || ' ' || (
           SELECT sum(settled) * 2 / sum(n) FROM target WHERE run_id = r.id
         ), ', ' ORDER BY r.id) FROM run r WHERE r.orchestration_id = o.id
       ) AS children
       FROM orchestration o JOIN job j ON j.id = o.job_id WHERE o.id = $1`,
      [submitted.gate_run_id],
    );
    return isFinished(status) ? 'end' : `${status}; next ${step}; look ${looks}; ${children}`;
  };
  const kills = await system.restartAtEachState(placeOf);
  expect(kills).toBeGreaterThan(playsAll ? 6 : 0);

  const found = (await client.get(`/api/gates/${gate.id}/runs/${submitted.gate_run_id}`)).body;
  expect(found).toMatchObject({ status: 'completed', result: { look: { number: found.looks.length } } });
  const looks = [1, 2, 3].slice(0, found.looks.length);
  expect(looks.length).toBeGreaterThan(1);
  expect(found.looks.map(({ look, samples }: any) => [look, samples])).toEqual(
    looks.map((look) => [look, [2 ** (look - 1), 2 ** (look - 1)]]),
  );
  const children = await rows(
    `SELECT r.step || ' ' || r.arm AS made_for, r.status,
       (SELECT count(*)::int FROM result WHERE run_id = r.id) AS results
     FROM run r WHERE r.orchestration_id = $1 ORDER BY r.id`,
    [submitted.gate_run_id],
  );
  const child = (madeFor: string, samples: number) => ({
    made_for: madeFor,
    status: 'completed',
    results: CASES * samples,
  });
  expect(children).toEqual([
    child('run candidate', 1),
    ...looks.slice(1).flatMap((look) => {
      const samples = 2 ** (look - 2);
      return [child(`look-${look} candidate`, samples), child(`look-${look} baseline`, samples)];
    }),
  ]);
  // Its log has each event once, without gaps.
  const log = await rows('SELECT seq, name FROM job_event WHERE job_id = $1 ORDER BY seq', [submitted.job_id]);
  expect(log.map(({ name }) => name)).toEqual([
    'job_created',
    ...looks.map(() => 'gate_look'),
    'gate_complete',
    'job_completed',
  ]);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1));
  // Only requests in flight when their worker died are repeated.
  const requests = await system.requests(model);
  const settled = CASES * 2 ** looks.length;
  expect(requests).toBeGreaterThanOrEqual(settled);
  expect(requests).toBeLessThanOrEqual(settled + kills * MAX_CONCURRENCY);
}, 600_000);
