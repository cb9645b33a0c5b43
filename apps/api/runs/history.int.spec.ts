import { EXAMPLES } from '#lib/contracts/examples/examples';
import type { Summary } from '#lib/contracts/summary';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let suites: string[];
let experiment: string;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  const models = [{ id: 'a' }, { id: 'b' }, { id: 'sim::b' }];
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
  await client.post('/api/providers', { key: 'other', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'b' }] });
  const importSuite = async () => (await client.post('/api/tool-eval/import', weatherSuite(1))).body.suite_id;
  suites = [await importSuite(), await importSuite()];
  experiment = (await client.post('/api/experiments', { name: 'Words', suite_id: suites[0] })).body.id;
}, 60_000);

const submit = async (request: object): Promise<string> => {
  const { status, body } = await client.post('/api/tool-eval', { suite_id: suites[0], models: ['sim::a'], ...request });
  expect({ status, ...(status !== 202 && body) }).toEqual({ status: 202 });
  return body.eval_id;
};
const read = async (id: string) => (await client.get(`/api/tool-eval/history/${id}`)).body;
const label = (id: string, labels: object, of = client) => of.patch(`/api/tool-eval/history/${id}`, labels);

describe('the history', () => {
  const runs: Record<string, string> = {};
  beforeAll(async () => {
    runs.first = await submit({});
    runs.second = await submit({ suite_id: suites[1], models: ['other::b'] });
    runs.third = await submit({ models: ['sim::a', 'sim::b'], experiment_id: experiment });
    runs.fourth = await submit({ suite_id: suites[1], models: [{ provider_key: 'sim', model_id: 'sim::b' }] });
    await api.pool.query(`UPDATE run SET status = 'completed' WHERE id = ANY ($1)`, [[runs.first, runs.second]]);
    await api.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [runs.third]);
    for (const [name, called, note, score, cost, errored, seconds] of [
      ['first', 'Nightly 2', 'like Nightly 1', 0.5, 0.25, 0.1, 90],
      ['second', 'Nightly 20', '100% sure', 0.75, 11, null, 8],
      ['third', 'cancelled', null, 0.75, 10, 0.5, null],
      ['fourth', 'nightly 10', null, null, null, 0, 7.5],
    ] as const)
      await api.pool.query(
        `UPDATE run SET name = $2, note = $3, score = $4, cost_usd = $5, errored_share = $6,
           started_at = created_at, finished_at = created_at + $7 * interval '1 second' WHERE id = $1`,
        [runs[name], called, note, score, cost, errored, seconds],
      );
  });

  it('of another team is out of reach of every search and order', async () => {
    const other = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    for (const query of ['', 'q=nightly', 'order=name', 'order=cost', `order=score&cursor=${runs.first}`])
      expect((await other.get(`/api/tool-eval/history?${query}`)).body.items).toEqual([]);
  });

  it.each([
    [() => '', ['fourth', 'third', 'second', 'first']],
    [() => `suite_id=${suites[0]}`, ['third', 'first']],
    [() => `experiment_id=${experiment}`, ['third']],
    [() => 'status=completed', ['second', 'first']],
    [() => 'status=cancelled&status=completed', ['third', 'second', 'first']],
    [() => `status=completed&suite_id=${suites[1]}`, ['second']],
    [() => 'model=sim::a', ['third', 'first']],
    [() => 'model=b', ['third', 'second']],
    [() => 'model=other::b&model=sim::a', ['third', 'second', 'first']],
    [() => 'model=sim::sim::b', ['fourth']],
    [() => 'model=nobody', []],
    [() => 'suite_id=019aa8a2-5c1e-7000-8000-000000000011', []],
    [() => 'q=NIGHTLY%201', ['fourth', 'first']],
    [() => 'q=100%25', ['second']],
    [() => 'q=weather&status=cancelled', ['third']],
    [() => 'from=2020-01-01T00:00:00Z', ['fourth', 'third', 'second', 'first']],
    [() => 'to=2020-01-01T00:00:00Z', []],
    [() => 'reverse=true', ['first', 'second', 'third', 'fourth']],
    [() => 'order=name', ['third', 'first', 'fourth', 'second']],
    [() => 'order=name&reverse=true', ['second', 'fourth', 'first', 'third']],
    [() => 'order=score', ['third', 'second', 'first', 'fourth']],
    [() => 'order=score&reverse=true', ['first', 'second', 'third', 'fourth']],
    [() => 'order=cost', ['second', 'third', 'first', 'fourth']],
    [() => 'order=cost&model=sim::a', ['third', 'first']],
    [() => 'order=duration', ['first', 'second', 'fourth', 'third']],
    [() => 'order=errored', ['third', 'first', 'fourth', 'second']],
  ])('is filtered, page by page', async (query, names) => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await client.get(`/api/tool-eval/history?limit=1&${query()}${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(names.map((name) => runs[name]));
  });

  it.each([
    ['status=done', '/status/0'],
    ['suite_id=Weather', '/suite_id'],
    ['order=best', '/order'],
    ['from=yesterday', '/from'],
    ['order=cost&cursor=7', '/cursor'],
    [Array.from({ length: 51 }, (_, n) => `model=${n}`).join('&'), '/model'],
  ])('refuses %s', async (query, pointer) => {
    expect(await client.get(`/api/tool-eval/history?${query}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: pointer }] },
    });
  });
});

describe('what a run came to', () => {
  const SUMMARY = Object.values(EXAMPLES.Summary!)[0]! as Summary;
  /** An ended run of two models. @param done of each: results, requests, and what differs in its summary */
  async function ended(...done: { settled: number; requests: number; summary: Partial<Summary> }[]): Promise<string> {
    const id = await submit({ models: ['sim::a', 'sim::b'], samples: 4 });
    await api.pool.query(`UPDATE run SET status = 'cancelled', started_at = now(), finished_at = now() WHERE id = $1`, [
      id,
    ]);
    for (const [ordinal, { settled, requests, summary }] of done.entries())
      await api.pool.query(
        'UPDATE target SET settled = $3, requests = $4, summary = $5 WHERE run_id = $1 AND ordinal = $2',
        [
          ...[id, ordinal, settled, requests],
          JSON.stringify({ ...SUMMARY, target: `sim::${'ab'[ordinal]}`, ...summary }),
        ],
      );
    return id;
  }
  const unasked = { cases: 0, scored: 0, overall: null, overall_ci: null, cost_usd: null };

  it('a model that was sent no request cost nothing, and the sum is known', async () => {
    const id = await ended(
      { settled: 3, requests: 3, summary: { cost_usd: 0.22 } },
      { settled: 0, requests: 0, summary: unasked },
    );
    expect(await read(id)).toMatchObject({
      actual: { cost_usd: 0.22, known_cost_usd: 0.22 },
      summaries: [{ cost_usd: 0.22 }, { cost_usd: 0 }],
    });
  });

  it('a model without prices leaves the known part of the cost', async () => {
    const id = await ended(
      { settled: 4, requests: 4, summary: { cost_usd: 0.22 } },
      { settled: 4, requests: 4, summary: { cost_usd: null } },
    );
    expect((await read(id)).actual).toMatchObject({ cost_usd: null, known_cost_usd: 0.22 });
  });

  it('models that cannot be told apart tie, and one with part of its results takes no part', async () => {
    const high = { overall: 0.9, overall_ci: [0.8, 1] as [number, number] };
    const low = { overall: 0.85, overall_ci: [0.7, 0.95] as [number, number] };
    const id = await ended({ settled: 4, requests: 4, summary: low }, { settled: 4, requests: 4, summary: high });
    expect((await read(id)).top).toEqual({ targets: ['sim::b', 'sim::a'], score: 0.9, by: 'intervals' });
    const rank = (runId: string, ofA: [number, number], ofB: [number, number]) =>
      api.pool.query(
        `INSERT INTO run_figures (run_id, scoring_id, generation, counted_at, ranking) VALUES ($1, $1, 1, now(), $2)`,
        [
          runId,
          JSON.stringify({
            text: null,
            items: [
              { target: 'sim::a', rank: ofA },
              { target: 'sim::b', rank: ofB },
            ],
          }),
        ],
      );
    await rank(id, [2, 2], [1, 1]);
    expect((await read(id)).top).toEqual({ targets: ['sim::b'], score: 0.9, by: 'ranking' });
    const far = { overall: 0.3, overall_ci: [0.2, 0.4] as [number, number] };
    const notCompared = await ended(
      { settled: 4, requests: 4, summary: high },
      { settled: 4, requests: 4, summary: far },
    );
    await rank(notCompared, [1, 2], [1, 2]);
    expect((await read(notCompared)).top).toEqual({ targets: ['sim::a'], score: 0.9, by: 'ranking' });
    const part = await ended({ settled: 1, requests: 1, summary: high }, { settled: 4, requests: 4, summary: low });
    expect((await read(part)).top).toMatchObject({ targets: ['sim::b'], score: 0.85 });
    const none = await ended({ settled: 1, requests: 1, summary: high }, { settled: 0, requests: 0, summary: unasked });
    expect((await read(none)).top).toBeNull();
  });
});

describe('a run', () => {
  it('has a name, a note and a submitter', async () => {
    const id = await submit({ name: ' Short prompts ', note: 'The old ones\nwere long.' });
    expect(await read(id)).toMatchObject({
      name: 'Short prompts',
      note: 'The old ones\nwere long.',
      submitted_by: (await client.get('/api/me')).body.user.name,
    });
    expect((await read(id)).config).not.toHaveProperty('name');
    expect(await read(await submit({}))).toMatchObject({ name: null, note: null });
    await api.pool.query('UPDATE run SET user_id = gen_random_uuid() WHERE id = $1', [id]);
    expect(await read(id)).toMatchObject({ submitted_by: null });
  });

  it('can be renamed and annotated at any time, separately, and a repeated request takes effect once', async () => {
    const id = await submit({ name: 'First', note: 'why' });
    expect(await label(id, { name: 'Second' })).toMatchObject({ status: 200, body: { name: 'Second', note: 'why' } });
    expect((await label(id, { note: null })).body).toMatchObject({ id, name: 'Second', note: null });
    expect((await label(id, {})).body).toEqual(await read(id));
    const again = { 'idempotency-key': 'name-it' };
    const path = `/api/tool-eval/history/${id}`;
    await client.send('PATCH', path, { name: 'Third' }, again);
    await label(id, { name: null });
    expect((await client.send('PATCH', path, { name: 'Third' }, again)).body).toMatchObject({ name: 'Third' });
    expect(await read(id)).toMatchObject({ name: null });
    const { rows } = await api.pool.query('SELECT action FROM audit WHERE subject = $1 ORDER BY id', [id]);
    expect(rows.map(({ action }) => action)).toEqual(['run.submit', ...Array(5).fill('run.update')]);
  });

  it('accepts readable names and notes, only from editors of its team', async () => {
    const id = await submit({ name: 'Ours' });
    for (const [labels, pointer] of [
      [{ name: ' ' }, '/name'],
      [{ name: 'x'.repeat(201) }, '/name'],
      [{ note: 'x'.repeat(2001) }, '/note'],
      [{ status: 'completed' }, '/status'],
    ] as const)
      expect(await label(id, labels)).toMatchObject({ status: 400, body: { errors: [{ path: pointer }] } });
    const viewer = (await client.post('/api/tokens', { name: 'eyes', role: 'viewer' })).body.token;
    expect((await label(id, { name: 'Mine' }, clientOf(api.url, viewer))).status).toBe(403);
    const other = (await api.anotherTeam()).body.token.token;
    expect((await label(id, { name: 'Mine' }, clientOf(api.url, other))).status).toBe(404);
    expect(await read(id)).toMatchObject({ name: 'Ours' });
  });
});
