// Needs its own API: the tests lock and drop tables.
import { request } from 'node:http';
import { insertRow } from '#lib/db/connection/insert-row';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { lockTable } from '../../../test/lock-table.js';
import { until } from '../../../test/until.js';

let api: ApiInProcess;
beforeAll(async () => {
  api = await startApi();
  await addModel(api.client);
}, 60_000);
afterAll(() => api.close());

const addModel = (client: Client) =>
  client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });

/** Two finished runs of ten cases: every case fails in the first and passes in the second. */
async function twoRuns(client = api.client): Promise<[string, string]> {
  const suite = (await client.post('/api/tool-eval/import', weatherSuite(10))).body.suite_id;
  const run = async (passed: boolean): Promise<string> => {
    const id = (await client.post('/api/tool-eval', { suite_id: suite, models: ['sim::a'] })).body.eval_id;
    for (let position = 0; position < 10; position++) await settle(id, position, passed);
    await api.pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [id]);
    return id;
  };
  return [await run(false), await run(true)];
}
const settle = (runId: string, position: number, passed: boolean): Promise<void> =>
  insertRow(api.pool, 'result', {
    run_id: runId,
    target: 0,
    case_position: position,
    sample: 0,
    generation: 1,
    seq: position + 1,
    outcome: 'scored',
    passed,
    overall: Number(passed),
    error_type: passed ? 'none' : 'cut_off',
    abstention: false,
    called: '[]',
    evidence: '{"pairs":[],"missing":[],"unexpected":[]}',
    scoring_version: 3,
    attempts: 1,
  });

const compare = (a: string, b: string, more = '') => api.client.get(`/api/compare?a=${a}&b=${b}${more}`);

it('a kept comparison is answered without reading results, but not for another generation of a run', async () => {
  const [a, b] = await twoRuns();
  const first = await compare(a, b);
  expect(first.body).toMatchObject({ all: { difference: 1, verdict: 'improved' }, outcomes: { fixed: 10 } });
  expect(first.body.notes).toEqual([expect.stringMatching(/^10 of 10 replies of the baseline and 0 of 10 .* cut off/)]);
  const release = await lockTable(api.pool, 'result');
  expect((await compare(a, b)).body).toEqual(first.body);
  await release();
  // As a resume does.
  await api.pool.query('UPDATE run SET generation = 2 WHERE id = $1', [b]);
  await api.pool.query('UPDATE result SET passed = false, overall = 0 WHERE run_id = $1', [b]);
  expect((await compare(a, b)).body).toMatchObject({ all: { difference: 0 }, outcomes: { same_wrong: 10 } });
});

it('a kept comparison with added samples is computed again when there are more samples', async () => {
  const [a, b] = await twoRuns();
  const extended = () => compare(a, b, '&extended=true');
  expect((await extended()).body).toMatchObject({ b: { samples: 1 }, outcomes: { fixed: 10 } });
  const { rows } = await api.pool.query('SELECT suite_id FROM run WHERE id = $1', [b]);
  const { body } = await api.client.post('/api/tool-eval', { suite_id: rows[0].suite_id, models: ['sim::a'] });
  for (let position = 0; position < 10; position++) await settle(body.eval_id, position, position > 1);
  await api.pool.query(`UPDATE run SET extends_run_id = $2, first_sample = 1, status = 'completed' WHERE id = $1`, [
    body.eval_id,
    b,
  ]);
  expect((await extended()).body).toMatchObject({ b: { samples: 2 }, outcomes: { fixed: 8, better: 2 } });
  expect((await compare(a, b)).body).toMatchObject({ b: { samples: 1 }, outcomes: { fixed: 10 } });
  await api.pool.query('UPDATE run SET generation = 2 WHERE id = $1', [body.eval_id]);
  await api.pool.query('UPDATE result SET passed = true, overall = 1 WHERE run_id = $1', [body.eval_id]);
  expect((await extended()).body).toMatchObject({ outcomes: { fixed: 10 } });
});

it('a run and its rescore by a later scoring version can be compared, and both can be rescored', async () => {
  const [a] = await twoRuns();
  const { rescore_id: id } = (await api.client.post(`/api/tool-eval/history/${a}/rescore`, {})).body;
  await api.pool.query('UPDATE rescore SET scoring_version = 9 WHERE id = $1', [id]);
  await api.pool.query(
    `INSERT INTO rescored (run_id, rescore_id, target, case_position, sample, passed, overall, error_type, called)
     SELECT run_id, $2, target, case_position, sample, true, 1, 'none', called FROM result WHERE run_id = $1`,
    [a, id],
  );
  await api.pool.query(`UPDATE job SET status = 'completed' WHERE result_ref = $1`, [id]);
  const { body } = await compare(a, a, `&rescore_b=${id}`);
  expect(body).toMatchObject({ all: { difference: 1 }, what_changed: [{ path: '/scoring_version', a: 3, b: 9 }] });
  expect(body.notes).toContainEqual(expect.stringMatching(/versions 3 and 9 .* Rescore both runs/));
});

it('a comparison of an unfinished run is computed each time', async () => {
  const [a, b] = await twoRuns();
  await api.pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [b]);
  expect((await compare(a, b, '&partial=true')).body).toMatchObject({ outcomes: { fixed: 10 } });
  await api.pool.query('UPDATE result SET passed = false, overall = 0 WHERE run_id = $1', [b]);
  expect((await compare(a, b, '&partial=true')).body).toMatchObject({ outcomes: { same_wrong: 10 } });
});

/** Counts comparisons that wait for the table of results, each on the connection of a thread. */
const waitingThreads = async (): Promise<number> =>
  (
    await api.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%rescore_id%'
         AND datname = current_database()`,
    )
  ).rowCount!;

it('comparisons of one team delay neither its other requests nor other teams', async () => {
  const [a, b] = await twoRuns();
  const { body } = await api.client.post('/api/teams', { name: 'others' });
  const other = clientOf(api.url, body.token.token);
  await addModel(other);
  const [otherA, otherB] = await twoRuns(other);
  const release = await lockTable(api.pool, 'result');
  let refused = 0;
  const asked = Array.from({ length: 40 }, async (_, n) => {
    const answer = await compare(a, b, `&margin=${n / 100}`);
    if (answer.status === 429) refused++;
    return answer;
  });
  await until(() => refused > 0, { what: 'the first refusal' });
  expect((await other.get('/api/me')).status).toBe(200);
  expect((await api.client.get(`/api/tool-eval/history/${a}`)).status).toBe(200);
  await until(async () => (await waitingThreads()) === 1, { what: 'the team to have a thread' });
  const theirs = other.get(`/api/compare?a=${otherA}&b=${otherB}`);
  await until(async () => (await waitingThreads()) === 2, { what: 'the other team to have a thread' });
  await release();
  expect((await theirs).body).toMatchObject({ outcomes: { fixed: 10 } });
  const answers = await Promise.all(asked);
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const late = answers.find(({ status }) => status === 429)!;
  expect(late.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(late.body.detail).toMatch(/comparisons of this team are queued/);
  expect((await other.get(`/api/compare?a=${a}&b=${b}`)).status).toBe(404);
});

it('a comparison that failed is computed again for the next caller', async () => {
  const [a, b] = await twoRuns();
  await api.pool.query('ALTER TABLE suite_version_case RENAME TO hidden');
  expect((await compare(a, b)).status).toBe(500);
  await api.pool.query('ALTER TABLE hidden RENAME TO suite_version_case');
  expect((await compare(a, b)).status).toBe(200);
});

it('a comparison that outlasts its caller continues, and later callers get it', async () => {
  const [a, b] = await twoRuns();
  const release = await lockTable(api.pool, 'result');
  const first = await api.client.sendOnce('GET', `/api/compare?a=${a}&b=${b}&pairs=sim::a~sim::a&wait=0`);
  expect(first).toMatchObject({
    status: 202,
    body: { status: 'comparing', detail: expect.stringMatching(/Ask again/) },
  });
  const place = first.headers.get('location')!;
  expect(first.body).toMatchObject({ url: place, detail: expect.stringContaining(place) });
  expect(first.headers.get('retry-after')).toBe('1');
  expect(new URL(place, api.url).searchParams.get('wait')).toBe('20');
  const listed = await api.client.sendOnce('GET', `/api/compare/items?a=${a}&b=${b}&limit=2&wait=0`);
  expect(listed.status).toBe(202);
  const later = [1, 2].map(() => api.client.sendOnce('GET', place));
  await release();
  for (const { status, body } of await Promise.all(later))
    expect({ status, body }).toMatchObject({ status: 200, body: { outcomes: { fixed: 10 } } });
  const items = await api.client.get(listed.headers.get('location')!);
  expect(items).toMatchObject({ status: 200, body: { items: [{}, {}] } });
  expect(items.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect((await api.client.sendOnce('GET', `${place}&wait=31`)).status).toBe(400);
});

it('a client that leaves blocks no other client', async () => {
  const [a, b] = await twoRuns();
  const release = await lockTable(api.pool, 'result');
  const headers = { authorization: `Bearer ${api.client.token}` };
  const leaving = request(`${api.url}/api/compare?a=${a}&b=${b}`, { agent: false, headers });
  const left = new Promise((resolve) => leaving.once('close', resolve));
  leaving.on('error', () => {}).end();
  await until(waitingThreads, { what: 'the comparison to wait for results' });
  leaving.destroy();
  await left;
  await release();
  expect((await compare(a, b)).body).toMatchObject({ all: { verdict: 'improved' } });
});
