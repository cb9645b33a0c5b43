import { EXAMPLES } from '#lib/contracts/examples/examples';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite } from '../../../test/client.js';

const CASES = 40;
let api: SharedApi;
let suiteId: string;
beforeAll(async () => {
  api = await joinIdleApi();
  const models = ['good', 'fair', 'like-fair', 'bad'].map((id) => ({ id }));
  await api.client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
  suiteId = (await api.client.post('/api/tool-eval/import', weatherSuite(CASES))).body.suite_id;
}, 60_000);

/** A finished run with two samples per case. @param right number of passing cases per model; null if all errored */
async function runWith(right: Record<string, number | null>, status = 'completed'): Promise<string> {
  const { eval_id: id } = (
    await api.client.post('/api/tool-eval', { suite_id: suiteId, models: Object.keys(right), samples: 2 })
  ).body;
  await api.pool.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall, error_type,
       abstention, called, scoring_version, attempts)
     SELECT $1, target, position, sample, 1, row_number() OVER (),
       CASE WHEN cases IS NULL THEN 'errored' ELSE 'scored' END, coalesce(position < cases, false),
       (position < cases)::int, CASE WHEN cases IS NULL THEN 'errored' ELSE 'none' END, false, '[]', 3, 1
     FROM unnest($2::int[]) WITH ORDINALITY AS models (cases, nth), LATERAL (SELECT nth::int - 1 AS target) t,
       generate_series(0, $3 - 1) position, generate_series(0, 1) sample`,
    [id, Object.values(right), CASES],
  );
  await api.pool.query('UPDATE run SET status = $2 WHERE id = $1', [id, status]);
  return id;
}
const ranking = async (id: string) => (await api.client.get(`/api/tool-eval/history/${id}/ranking`)).body;

it('orders the models of a run by their means, with the possible ranks of each', async () => {
  const id = await runWith({ 'sim::bad': 4, 'sim::fair': 20, 'sim::good': 36, 'sim::like-fair': 19 });
  expect(await ranking(id)).toEqual({
    text:
      'good is better than fair by 40 points (95 %: 21 to 55; 40 cases): 16 passed by good alone, ' +
      'none by fair alone.',
    items: [
      { target: 'sim::good', rank: [1, 1] },
      { target: 'sim::fair', rank: [2, 3] },
      { target: 'sim::like-fair', rank: [2, 3] },
      { target: 'sim::bad', rank: [4, 4] },
    ],
  });
});

it('says when the best two cannot be distinguished, and why', async () => {
  const close = await ranking(await runWith({ 'sim::fair': 20, 'sim::like-fair': 26, 'sim::good': 20 }));
  expect(close.text).toMatch(/^Too close to call\. like-fair is 15 points above fair \(95 %: 1 to 27/);
  expect(close.text).toContain('one of 3 pairs of models may do so by chance');
  expect(close.items.map(({ rank }: { rank: number[] }) => rank)).toEqual([
    [1, 3],
    [1, 3],
    [1, 3],
  ]);
  const errored = await ranking(await runWith({ 'sim::good': null, 'sim::fair': 20 }));
  expect(errored).toEqual({
    text: 'Too few cases to tell the models apart: none have a score of both of the best two, and a verdict needs 5.',
    items: [
      { target: 'sim::fair', rank: [1, 2] },
      { target: 'sim::good', rank: [1, 2] },
    ],
  });
  expect(await ranking(await runWith({ 'sim::good': 3 }))).toEqual({
    text: null,
    items: [{ target: 'sim::good', rank: [1, 1] }],
  });
});

it('leaves all ranks open during the run, and follows a resumed run', async () => {
  const id = await runWith({ 'sim::bad': 4, 'sim::good': 36 }, 'running');
  await api.pool.query('UPDATE target SET summary = $2 WHERE run_id = $1 AND ordinal = 1', [
    id,
    JSON.stringify({ ...Object.values(EXAMPLES.Summary!)[0]!, target: 'sim::good' }),
  ]);
  expect(await ranking(id)).toEqual({
    text: null,
    items: [
      { target: 'sim::good', rank: [1, 2] },
      { target: 'sim::bad', rank: [1, 2] },
    ],
  });
  await api.pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [id]);
  expect(await ranking(id)).toMatchObject({ items: [{ target: 'sim::good', rank: [1, 1] }, { rank: [2, 2] }] });
  await api.pool.query('UPDATE run SET generation = 2 WHERE id = $1', [id]);
  await api.pool.query('UPDATE result SET overall = 1 - overall, passed = NOT passed WHERE run_id = $1', [id]);
  expect(await ranking(id)).toMatchObject({ items: [{ target: 'sim::bad', rank: [1, 1] }, { rank: [2, 2] }] });
});

it('does not rank a model that has part of its results', async () => {
  const id = await runWith({ 'sim::bad': 4, 'sim::good': 36, 'sim::fair': 20 }, 'cancelled');
  await api.pool.query('DELETE FROM result WHERE run_id = $1 AND target = 1 AND case_position > 10', [id]);
  expect(await ranking(id)).toMatchObject({
    text: expect.stringContaining('fair is better'),
    items: [
      { target: 'sim::fair', rank: [1, 1] },
      { target: 'sim::bad', rank: [2, 2] },
      { target: 'sim::good', rank: null },
    ],
  });
});

it('is kept while nothing changes', async () => {
  const id = await runWith({ 'sim::bad': 4, 'sim::good': 36 });
  const first = await ranking(id);
  await api.pool.query('DELETE FROM result WHERE run_id = $1', [id]);
  expect(await ranking(id)).toEqual(first);
});

it('covers only runs of the team', async () => {
  const id = await runWith({ 'sim::bad': 4, 'sim::good': 36 });
  const { body } = await api.anotherTeam();
  expect((await clientOf(api.url, body.token.token).get(`/api/tool-eval/history/${id}/ranking`)).status).toBe(404);
  expect((await api.client.get('/api/tool-eval/history/x/ranking')).status).toBe(404);
});
