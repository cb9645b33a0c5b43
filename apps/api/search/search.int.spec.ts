import type { SearchAnswer } from '#lib/contracts/search';
import type { Trend } from '#lib/contracts/trend';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let stranger: Client;
const suites: string[] = [];

beforeAll(async () => {
  api = await joinIdleApi();
  ({ client } = api);
  stranger = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  await addUnreachableModels(client);
  for (const name of ['Office assistant', 'Post office', 'Étude 100%'])
    suites.push(await client.importSuite({ ...weatherSuite(2), name }));
}, 60_000);

const search = async (q: string, more = '', as = client): Promise<SearchAnswer> => {
  const { status, body } = await as.get(`/api/search?q=${encodeURIComponent(q)}${more}`);
  expect({ status, ...(status !== 200 && body) }).toEqual({ status: 200 });
  return body;
};
const names = async (q: string, more = ''): Promise<string[]> =>
  (await search(q, more)).items.map(({ type, name }) => `${type} ${name}`);
const submit = async (more: object): Promise<string> =>
  (await client.post('/api/tool-eval', { suite_id: suites[0], models: ['sim::a'], ...more })).body.eval_id;

describe('a search', () => {
  it('finds things of each type, the best match first', async () => {
    const run = await submit({ name: 'Nightly office', note: 'the second try' });
    await client.post('/api/experiments', { name: 'Office', suite_id: suites[0] });
    expect(await names('OFFICE', '&types=run,suite,experiment')).toEqual([
      'experiment Office',
      'suite Office assistant',
      'run Nightly office',
      'suite Post office',
    ]);
    expect(await names('second nightly')).toEqual(['run Nightly office']);
    expect(await names(run.slice(-8))).toEqual(['run Nightly office']);
    expect(await names('b:8b')).toEqual(['model b:8b']);
    expect((await search('sim::a', '&types=model')).items).toMatchObject([{ id: 'sim::a', suite: null, at: null }]);
    expect((await search('nightly')).items[0]).toMatchObject({
      ...{ id: run, status: expect.any(String), at: expect.any(String) },
      suite: { id: suites[0], name: 'Office assistant' },
    });
  });

  it('finds cases by name and prompt, and says which suite they are of', async () => {
    const { items, partial } = await search('case 1', '&types=case');
    expect(items.map(({ name, suite }) => [name, suite?.id]).sort()).toEqual(suites.map((id) => ['case 1', id]).sort());
    expect(partial).toEqual([]);
    expect(await names('paris (0)', '&limit=2')).toEqual(['case case 0', 'case case 0']);
    expect(await names('get_weather', '&types=case')).toEqual([]);
  });

  it('takes what is written literally, and finds nothing of another team', async () => {
    expect(await names('100%', '&types=suite')).toEqual(['suite Étude 100%']);
    expect(await names('étude')).toEqual(['suite Étude 100%']);
    expect(await names('_ffice')).toEqual([]);
    expect(await names(`'; DROP TABLE run; --`)).toEqual([]);
    expect(await search('office', '', stranger)).toEqual({ items: [], partial: [] });
  });

  it.each(['', 'q=', 'q=%20', 'q=a&types=job', 'q=a&limit=51', `q=${'x'.repeat(201)}`])(
    'refuses "%s"',
    async (query) => {
      expect(await client.get(`/api/search?${query}`)).toMatchObject({ status: 400 });
    },
  );
});

describe('a trend', () => {
  const complete = async (id: string, day: number, means: (number | null)[]): Promise<string> => {
    await api.pool.query(
      `UPDATE run SET status = 'completed', score = 0.5, finished_at = $2::timestamptz WHERE id = $1`,
      [id, `2026-11-${day}T09:00:00Z`],
    );
    for (const [ordinal, mean] of means.entries())
      await api.pool.query(
        `UPDATE target SET settled = 10, errored = $4, overall_sum = 10 * $3::float8, summary = json_build_object(
           'overall', $5::float8, 'overall_ci', json_build_array($3 - 0.1, $3 + 0.1))
         WHERE run_id = $1 AND ordinal = $2`,
        [id, ordinal, mean ?? 0, mean === null ? 10 : 0, mean],
      );
    return id;
  };
  const trends = async (query = ''): Promise<Trend[]> => (await client.get(`/api/trends?${query}`)).body.items;

  it('has the newest completed runs of a suite in order of time, with their models by score', async () => {
    const suite_id = suites[1]!;
    const models = ['sim::a', 'sim::b:8b'];
    await complete(await submit({ suite_id }), 10, [0.1]);
    const second = await complete(await submit({ suite_id, models, name: 'Second' }), 12, [0.4, 0.8]);
    const third = await complete(await submit({ suite_id, models }), 11, [0.5, null]);
    await submit({ suite_id });
    const [trend, ...others] = await trends(`suite_id=${suite_id}&limit=2`);
    expect(others).toEqual([]);
    expect(trend!.suite).toEqual({ id: suite_id, name: 'Post office', version: 1 });
    expect(trend!.points.map(({ run }) => run.id)).toEqual([third, second]);
    expect(trend!.points[1]).toEqual({
      run: { id: second, name: 'Second', suite_version: 1 },
      ...{ finished_at: '2026-11-12T09:00:00.000Z', score: 0.5, more_models: 0 },
      models: [
        { target: 'sim::b:8b', mean: 0.8, ci: [expect.closeTo(0.7), expect.closeTo(0.9)] },
        { target: 'sim::a', mean: 0.4, ci: [expect.closeTo(0.3), expect.closeTo(0.5)] },
      ],
    });
    expect((await trends()).map(({ suite, points }) => [suite.id, points.length])).toEqual([
      [suites[2], 0],
      [suites[1], 3],
      [suites[0], 0],
    ]);
    expect(await stranger.get(`/api/trends?suite_id=${suite_id}`)).toMatchObject({ status: 404 });
    expect((await stranger.get('/api/trends')).body).toEqual({ items: [], next_cursor: null });
  });

  it('over many runs shows those that tell how it went, and says how many it leaves out', async () => {
    const suite_id = await client.importSuite({ ...weatherSuite(2), name: 'Nightly' });
    const run = await submit({ suite_id, models: ['sim::a', 'sim::b:8b'], name: 'The first' });
    const day = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n, 9)).toISOString();
    await complete(run, 10, [0.8, 0.8]);
    await api.pool.query(
      `WITH series AS (
         INSERT INTO trend_series (team_id, suite_id, target, kind, part)
         SELECT team_id, suite_id, target, kind, part FROM run,
           (VALUES ('sim::a', 'all', ''), ('sim::b:8b', 'all', ''), ('sim::a', 'tool', 'get_weather'))
             AS s (target, kind, part)
         WHERE run.id = $1 RETURNING *
       ), runs AS (
         INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
           config, samples, finished_at)
         SELECT gen_random_uuid(), team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version,
           'completed', '{}', 1, $2::timestamptz + n * interval '1 day'
         FROM run, generate_series(0, 399) n WHERE id = $1
         RETURNING id, finished_at, (finished_at::date - $2::date) AS n
       )
       INSERT INTO trend_point (run_id, series_id, finished_at, mean, low, high, scored, errored, verdict)
       SELECT runs.id, series.id, finished_at, CASE WHEN n = 301 THEN NULL
           WHEN n = 123 AND target = 'sim::a' THEN 0.1 WHEN n > 200 AND target = 'sim::b:8b' THEN 0.6 ELSE 0.8 END,
         0.5, 0.9, 10, 0, CASE WHEN n = 210 THEN 'regressed' END
       FROM runs CROSS JOIN series`,
      [run, day(0)],
    );
    const of = async (query: string): Promise<Trend> => (await trends(`suite_id=${suite_id}&${query}`))[0]!;
    const { history, points } = await of('points=20');
    expect(history).toEqual({
      ...{ runs: 400, shown: points.length, left_out: 400 - points.length, how: expect.any(String) },
      models: [
        {
          ...{ target: 'sim::b:8b', first: 0.8, last: expect.closeTo(0.6) },
          shift: {
            run_id: expect.any(String),
            name: null,
            finished_at: day(201),
            from: expect.closeTo(0.8),
            to: expect.closeTo(0.6),
          },
        },
        { target: 'sim::a', first: 0.8, last: 0.8, shift: null },
      ],
      parts: [{ kind: 'tool', name: 'get_weather' }],
    });
    expect(points.length).toBeLessThanOrEqual(45);
    const shown = new Map(points.map((point) => [point.finished_at, point.models]));
    for (const n of [0, 123, 210, 301, 399]) expect(shown.has(day(n))).toBe(true);
    expect(shown.get(day(123))).toContainEqual(expect.objectContaining({ target: 'sim::a', mean: 0.1, scored: 10 }));
    expect((await of(`from=${day(390)}&to=${day(395)}`)).history).toMatchObject({ runs: 5, left_out: 0, how: null });
    expect((await of('model=sim::a&part=tool:get_weather')).points[0]!.models).toMatchObject([{ target: 'sim::a' }]);
    expect((await of('part=category:none')).points).toEqual([]);
    expect((await trends('model=sim::b:8b')).map(({ suite }) => suite.id)).toEqual([suite_id]);
    expect(await stranger.get(`/api/trends?suite_id=${suite_id}&points=20`)).toMatchObject({ status: 404 });
    expect((await stranger.get('/api/trends?model=sim::b:8b')).body.items).toEqual([]);
    const experiment = await client.post('/api/experiments', { name: 'Nights', suite_id });
    const { id } = experiment.body;
    await api.pool.query(
      `UPDATE run SET experiment_id = $1 WHERE suite_id = $2 AND extract(hour FROM finished_at AT TIME ZONE 'UTC') = 9
         AND finished_at >= $3 AND finished_at < $4`,
      [id, suite_id, day(190), day(230)],
    );
    const [ofExperiment] = await trends(`experiment_id=${id}`);
    expect(ofExperiment).toMatchObject({ suite: { id: suite_id }, history: { runs: 40, shown: 40, left_out: 0 } });
    expect(ofExperiment!.history!.models[0]).toMatchObject({ target: 'sim::b:8b', shift: { finished_at: day(201) } });
    const thinned = (await trends(`experiment_id=${id}&points=10`))[0]!;
    expect(thinned.history!.runs).toBe(40);
    expect(thinned.history!.left_out).toBeGreaterThan(10);
    for (const { finished_at: at } of thinned.points) expect(at >= day(190) && at < day(230)).toBe(true);
    expect(await stranger.get(`/api/trends?experiment_id=${id}`)).toMatchObject({ status: 404 });
    expect(await client.get(`/api/trends?experiment_id=${id}&suite_id=${suites[0]}`)).toMatchObject({ status: 404 });
    for (const refused of ['points=9', 'part=tool', 'from=yesterday'])
      expect(await client.get(`/api/trends?suite_id=${suite_id}&${refused}`)).toMatchObject({ status: 400 });
  });
});
