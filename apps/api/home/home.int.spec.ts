import type { Home } from '#lib/contracts/home';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  ({ client } = api);
}, 60_000);

const home = async (as = client): Promise<Home> => {
  const { status, body } = await as.get('/api/home');
  expect({ status, ...(status !== 200 && body) }).toEqual({ status: 200 });
  return body;
};
const doneSteps = ({ first_steps: { items } }: Home) => items.filter(({ done }) => done).map(({ id }) => id);

it('an empty team has its first steps before it, which each user puts away for themselves', async () => {
  // A service account is not a colleague.
  expect((await client.post('/api/users', { name: 'nightly', role: 'viewer' })).status).toBe(201);
  const empty = await home();
  expect(empty).toMatchObject({
    ...{ concerns: [], as_good: 0, under_way: [], suites: [], more_suites: 0, month: { spent_usd: 0 } },
    first_steps: { hidden: false },
  });
  expect(doneSteps(empty)).toEqual([]);
  await client.put('/api/me/views/home', { hidden: ['first-steps'] });
  expect((await home()).first_steps.hidden).toBe(true);
});

describe('a team at work', () => {
  const suites: string[] = [];
  const runs: string[] = [];
  const submit = async (more: object): Promise<string> => {
    const models = ['sim::a', 'sim::b:8b'];
    const { status, body } = await client.post('/api/tool-eval', { suite_id: suites[0], models, ...more });
    expect({ status, ...(status !== 202 && body) }).toEqual({ status: 202 });
    return body.eval_id;
  };
  /** Writes what a worker stores for a completed run. */
  const complete = async (id: string, at: string, means: number[], ranks: [number, number][]): Promise<void> => {
    await api.pool.query(`UPDATE run SET status = 'completed', score = 0.85, finished_at = $2 WHERE id = $1`, [id, at]);
    await api.pool.query(`UPDATE job SET status = 'completed', finished_at = $2 WHERE result_ref = $1::text`, [id, at]);
    const targets = ['sim::a', 'sim::b:8b'].slice(0, means.length);
    for (const [ordinal, mean] of means.entries())
      await api.pool.query(
        `UPDATE target SET settled = 1, overall_sum = $3::float8, finished_at = now(), summary = json_build_object(
           'target', $4::text, 'overall', $3::float8, 'by_category', '{}'::json, 'cost_usd', 0.25,
           'usage', '{"prompt_tokens":1,"completion_tokens":1}'::json) WHERE run_id = $1 AND ordinal = $2`,
        [id, ordinal, mean, targets[ordinal]],
      );
    const items = targets.map((target, n) => ({ target, rank: ranks[n] }));
    await api.pool.query(
      `INSERT INTO run_figures (run_id, scoring_id, generation, counted_at, confusions, ranking)
       VALUES ($1, $1, 1, now(), '{}', $2)`,
      [id, JSON.stringify({ text: null, items })],
    );
  };

  beforeAll(async () => {
    await addUnreachableModels(client);
    for (const name of ['Office', 'Weather', 'Empty'])
      suites.push(await client.importSuite({ ...weatherSuite(1), name }));
    runs.push(await submit({ name: 'Nightly 1' }), await submit({ name: 'Nightly 2' }), await submit({}));
    await submit({ suite_id: suites[1] });
    await complete(
      runs[0]!,
      '2026-11-10T09:00:00Z',
      [0.9, 0.8],
      [
        [1, 1],
        [2, 2],
      ],
    );
    await complete(
      runs[1]!,
      '2026-11-11T09:00:00Z',
      [0.9, 0.8],
      [
        [1, 2],
        [1, 2],
      ],
    );
  });

  it('has its suites by their last run, each with what is first, and what is under way', async () => {
    const { suites: shown, under_way: jobs, more_suites: more, ...rest } = await home();
    expect(shown.map(({ suite }) => suite.name)).toEqual(['Weather', 'Office', 'Empty']);
    expect(more).toBe(0);
    expect(shown[1]).toMatchObject({
      last_run: { id: runs[2], name: null, status: 'queued', cost_usd: null, simulated: false },
      measured: { id: runs[1], name: 'Nightly 2', against: null },
      best: { targets: ['sim::a', 'sim::b:8b'], score: 0.9, by: 'ranking' },
      points: [{ run: { name: 'Nightly 1' } }, { run: { name: 'Nightly 2' } }],
    });
    expect(shown[2]).toMatchObject({ last_run: null, best: null, points: [] });
    expect(jobs.map(({ name }) => name)).toEqual(['Office', 'Weather']);
    expect(doneSteps(rest as Home)).toEqual(['provider', 'suite', 'run']);
  });

  it('leaves out what its reader has archived', async () => {
    await client.patch(`/api/me/marks/suite/${suites[2]}`, { archived: true });
    expect((await home()).suites.map(({ suite }) => suite.name)).toEqual(['Weather', 'Office']);
    await client.patch(`/api/me/marks/suite/${suites[2]}`, { archived: false });
  });

  it('hears of a paused lane for which items wait, and of a gate that did not pass', async () => {
    const [lane] = (await client.get('/api/lanes')).body.items;
    await client.post(`/api/lanes/${lane.id}/pause`);
    const baseline = { eval_id: runs[0] };
    const { status, body: gate } = await client.post('/api/gates', { name: 'Release', suite_id: suites[0], baseline });
    expect({ status, ...(status !== 201 && gate) }).toEqual({ status: 201 });
    for (const [look, result] of ['fail', 'inconclusive'].entries())
      await api.pool.query(
        `INSERT INTO gate_look (gate_id, gate_version, run_id, baseline_run_id, look, data, answer, created_at)
         VALUES ($1, 1, $2, $3, $4, '', $5, now() + $6 * interval '1 s')`,
        [gate.id, runs[1], runs[0], look + 1, JSON.stringify({ result }), look],
      );
    const { concerns } = await home();
    expect(concerns.filter(({ kind }) => kind === 'lane')).toMatchObject([
      { text: 'Lane sim is paused; 4 items wait.', lane: { id: lane.id }, state: 'paused', waiting: 4 },
    ]);
    expect(concerns.at(-1)).toMatchObject({
      ...{ kind: 'gate', result: 'inconclusive', text: 'Gate Release: too close to call.' },
      ...{ gate: { id: gate.id, name: 'Release' }, run: { name: 'Nightly 2' }, suite: { name: 'Office' } },
    });
  });

  it('is nothing to another team', async () => {
    const stranger = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    expect(await home(stranger)).toMatchObject({ concerns: [], suites: [], under_way: [] });
  });
});
