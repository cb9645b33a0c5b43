import { Counter } from '../../apps/worker/control/count.js';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { askForFigures } from '#lib/db/engine/run-figures';
import { completedRun } from '#lib/db/testing/completed-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import type { FacetValue, RunFacets } from '#lib/contracts/run-facets';
import { weatherSuite, type Client } from '../client.js';
import { joinApi } from '../api.js';
import { inProcessComparer } from '../in-process-comparer.js';
import { replayWithDeaths } from '../process-deaths.js';
import { lockTable } from '../lock-table.js';
import { createDatabase } from '../services.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobCompleted, untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

const CASES = 30;
const MODELS = ['perfect-ish', 'careless-arguments', 'text-only'];
let system: TeamSystem;
let client: Client;
let suiteId: string;
beforeAll(async () => {
  system = await joinSystem();
  ({ client } = system);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: [...MODELS, 'slow-400'].map((id) => ({ id })),
  });
  suiteId = await client.importSuite(weatherSuite(CASES));
});

const FIGURES = ['facets', 'confusion', 'failures', 'cases?show=all', 'ranking'];
const pathOf = (id: string): string => `/api/tool-eval/history/${id}`;
const submit = async (models = MODELS): Promise<{ eval_id: string; job_id: string }> =>
  (await client.post('/api/tool-eval', { suite_id: suiteId, models, samples: 2, cache: 'off' })).body;

/** All figures of a run, once they are counted. */
async function figuresOf(id: string): Promise<any> {
  const facets = () => client.get(`${pathOf(id)}/facets`);
  await until(async () => (await facets()).status === 200, { what: 'the run to be counted' });
  const answers = await Promise.all(FIGURES.map((figures) => client.get(`${pathOf(id)}/${figures}`)));
  expect(answers.map(({ status }) => status)).toEqual(FIGURES.map(() => 200));
  return Object.fromEntries(answers.map(({ body }, index) => [FIGURES[index], body]));
}
const sumOf = (values: readonly FacetValue[], fate?: number): number =>
  values
    .flatMap(({ by_target }) => by_target.flatMap((counts) => (fate === undefined ? counts : counts[fate]!)))
    .reduce((sum, n) => sum + n, 0);

it('a run is counted once when it ends, whether or not anybody looks, by everything that lists filter by', async () => {
  const { eval_id: id } = await submit();
  expect([200, 409]).toContain((await client.get(`${pathOf(id)}/facets`)).status);
  await untilRunEnded(client, id);
  const isCounted = async (scoring: string) =>
    (await system.sql.query('SELECT 1 FROM run_figures WHERE scoring_id = $1 AND counted_at IS NOT NULL', [scoring]))
      .rowCount;
  await until(async () => (await isCounted(id)) === 1, { what: 'the run to be counted' });
  const figures = await figuresOf(id);
  const { counted_at, targets, totals, error_type, called_tool, format }: RunFacets = figures.facets;
  const { counts } = (await client.get(pathOf(id))).body;
  expect(targets).toEqual(MODELS.map((model) => `sim::${model}`));
  expect(totals.map(([passed]) => passed).reduce((sum, n) => sum + n, 0)).toBe(counts.passed);
  for (const values of [error_type.values, called_tool.values, format.values])
    expect(sumOf(values)).toBe(counts.settled);
  for (const { value, by_target } of error_type.values) {
    const found = await client.get(`${pathOf(id)}/results?limit=200&error_type=${value}`);
    expect(by_target.flat().reduce((sum, n) => sum + n, 0)).toBe(found.body.items.length);
  }
  expect((await figuresOf(id)).facets.counted_at).toBe(counted_at);
  // A rescore has its own verdicts, counted when it ends; the counts of the run do not change.
  const { rescore_id, job_id } = (await client.post(`${pathOf(id)}/rescore`, { pass_threshold: 0.1 })).body;
  await untilJobCompleted(client, job_id);
  await until(async () => (await isCounted(rescore_id)) === 1, { what: 'the rescore to be counted' });
  const again = (await client.get(`${pathOf(id)}/facets?rescore_id=${rescore_id}`)).body as RunFacets;
  expect(sumOf(again.error_type.values)).toBe(counts.settled);
  expect(sumOf(again.error_type.values, 0)).toBeGreaterThan(sumOf(error_type.values, 0));
  expect(await figuresOf(id)).toEqual(figures);
  const { client: other } = await joinApi();
  for (const path of FIGURES) expect((await other.get(`${pathOf(id)}/${path}`)).status).toBe(404);
}, 60_000);

it('a worker that is killed while counting leaves the run to the next one, with the same figures', async () => {
  const { eval_id: id } = await submit();
  await untilRunEnded(client, id);
  const before = await figuresOf(id);
  await system.sql.query('DELETE FROM run_figures WHERE run_id = $1', [id]);
  await system.sql.query('DELETE FROM case_figures WHERE run_id = $1', [id]);
  const letGo = await lockTable(system.sql, 'failure_group');
  expect(await client.get(`${pathOf(id)}/facets`)).toMatchObject({ status: 202, body: { status: 'counting' } });
  const isStoring = async () =>
    (
      await system.sql.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query LIKE '%failure_group%'`,
      )
    ).rowCount;
  await until(isStoring, { what: 'the worker to store what it counted' });
  await Promise.all(system.workers.splice(0).map((worker) => worker.kill('SIGKILL')));
  await letGo();
  expect((await client.get(`${pathOf(id)}/facets`)).status).toBe(202);
  await system.startWorker();
  const after = await figuresOf(id);
  expect({ ...after, facets: { ...after.facets, counted_at: null } }).toEqual({
    ...before,
    facets: { ...before.facets, counted_at: null },
  });
}, 60_000);

it('a cancelled run is counted as far as it got, and again after a resume', async () => {
  const { eval_id: id, job_id } = await submit(['slow-400']);
  await until(async () => (await client.get(pathOf(id))).body.counts.settled > 3, { what: 'some results' });
  expect(await client.get(`${pathOf(id)}/facets`)).toMatchObject({ status: 409 });
  await client.post('/api/tool-eval/cancel', { job_id });
  const stopped = await figuresOf(id);
  const { settled } = (await client.get(pathOf(id))).body.counts;
  expect(sumOf(stopped.facets.error_type.values)).toBe(settled);
  expect(settled).toBeLessThan(2 * CASES);
  expect((await client.post(`${pathOf(id)}/resume`)).status).toBe(202);
  expect((await client.get(`${pathOf(id)}/facets`)).status).toBe(409);
  await untilRunEnded(client, id);
  const whole = await figuresOf(id);
  expect(sumOf(whole.facets.error_type.values)).toBe(2 * CASES);
  expect(whole['cases?show=all'].total).toBe(CASES);
}, 60_000);

it('a process that dies after any statement of counting leaves nothing that is counted twice', async () => {
  const pool = createPool((await createDatabase()).url, 4);
  try {
    const team = await createTeam(pool, { cases: 6 });
    const scores = [
      [1, 0],
      [0.5, null],
      [1, 1],
      [0, 0],
      [null, null],
      [undefined, 1],
    ];
    const runId = await completedRun(pool, team, { results: { a: scores, b: scores.toReversed() } });
    await pool.query('UPDATE run SET generation = 2 WHERE id = $1', [runId]);
    await replayWithDeaths([{ pool }], (world, db) => countedBy(world.pool, db, runId), { least: 20, most: 100 });
  } finally {
    await pool.end();
  }
}, 60_000);

/** The counts of a run, made in a process with `db` until it dies, then in another; not for the first time. */
async function countedBy(pool: Pool, db: Pool, runId: string): Promise<object> {
  const rows = async (text: string) => (await pool.query(text, [runId])).rows;
  await rows(`UPDATE run_figures SET generation = 1 WHERE run_id = $1`);
  await rows(`UPDATE case_figures SET generation = 1 WHERE run_id = $1`);
  await askForFigures(pool, { runId });
  for (const one of [db, pool]) {
    const counter = new Counter({ pool: one, locks: pool, comparing: inProcessComparer(one) });
    for (const run of await counter.toCount().catch(() => []))
      await counter.count(run, new AbortController().signal).catch(() => {});
  }
  return {
    figures: await rows(
      `SELECT to_jsonb(f) - 'counted_at' AS f, counted_at IS NOT NULL FROM run_figures f WHERE run_id = $1`,
    ),
    cases: await rows('SELECT * FROM case_figures WHERE run_id = $1 ORDER BY position'),
    groups: await rows('SELECT * FROM failure_group WHERE run_id = $1 ORDER BY nth'),
  };
}
