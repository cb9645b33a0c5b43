import { ERROR_TYPES } from '#lib/contracts/values/verdicts';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';
import { CALLED, EXPECTATIONS } from '../../../test/expected-and-called.js';
import { lockTable } from '../../../test/lock-table.js';
import { until } from '../../../test/until.js';

const CASES = 24;
const SAMPLES = 2;
const MODELS = ['a', 'b', 'c'];

interface Stored {
  id: string;
  target: number;
  case_position: number;
  sample: number;
  seq: number;
  outcome: 'scored' | 'errored';
  passed: boolean;
  error_type: (typeof ERROR_TYPES)[number];
  format_compliance: string | null;
  syntax: string | null;
  category: string | null;
  called: string;
  evidence: string | null;
  latency_ms: number | null;
}

let api: SharedApi;
let client: Client;
let runId: string;
/** All results, in the order they were settled. */
let stored: Stored[];
let path: string;

const categoryOf = (position: number): string | null => ['odd', 'even', null][position % 3]!;
const tagsOf = (position: number): string[] => (position % 4 ? [`tag-${position % 4}`, 'tagged'] : []);
/** The second of two calls matches the expected one. */
const SECOND = '{"pairs":[{"expected":0,"called":1}]}';

/** The outcome of item `n`: every combination of the filters' values occurs. */
function outcomeOf(n: number): Omit<Stored, 'id' | 'target' | 'case_position' | 'sample' | 'seq' | 'category'> {
  const errored = n % 11 === 3;
  const passed = !errored && n % 3 === 0;
  const call = n % 5;
  return {
    outcome: errored ? 'errored' : 'scored',
    passed,
    error_type: errored ? 'errored' : passed && n % 2 ? 'none' : ERROR_TYPES[2 + (n % 7)]!,
    format_compliance: errored ? null : ['native', 'repaired', 'none'][n % 3]!,
    syntax: errored ? null : [null, null, 'hermes', null, 'thoughts'][n % 5]!,
    called: errored ? '[]' : CALLED[call]!,
    evidence: call === 4 ? SECOND : null,
    latency_ms: errored ? null : 100 * (n % 20),
  };
}

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  const models = MODELS.map((id) => ({ id }));
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
  const suite = {
    name: 'Weather',
    tools: ['get_weather', 'get_time'].map((name) => ({ type: 'function', function: { name } })),
    test_cases: Array.from({ length: CASES }, (_, n) => ({
      prompt: `${n} ${'é🙂'.repeat(200)}`,
      category: categoryOf(n),
      tags: tagsOf(n),
      ...EXPECTATIONS[n % 4],
    })),
  };
  const { suite_id } = (await client.post('/api/tool-eval/import', suite)).body;
  runId = (await client.post('/api/tool-eval', { suite_id, models: MODELS, samples: SAMPLES })).body.eval_id;
  path = `/api/tool-eval/history/${runId}/results`;
  const items = MODELS.flatMap((_, target) =>
    Array.from({ length: CASES * SAMPLES }, (_, n) => ({
      target,
      case_position: n % CASES,
      sample: Math.floor(n / CASES),
    })),
  );
  // Models settle concurrently, so their results alternate in the log.
  stored = items
    .map((item, n) => ({ ...item, place: (n * 67) % items.length, ...outcomeOf(n) }))
    .sort((one, other) => one.place - other.place)
    .map(({ place: _place, ...item }, n) => ({
      ...item,
      id: `${item.target}-${item.case_position}-${item.sample}`,
      seq: n + 5,
      category: categoryOf(item.case_position),
    }));
  await api.pool.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, error_type,
       format_compliance, syntax, abstention, category, called, evidence, metrics, scoring_version, latency_ms,
       attempts)
     SELECT $1, target, case_position, sample, 1, seq, outcome, passed, error_type, format_compliance, syntax,
       false, category, called, evidence, '{"m":{"score":1}}', 3, latency_ms, 1
     FROM json_to_recordset($2) AS u (target int, case_position int, sample int, seq int, outcome text, passed bool,
       error_type text, format_compliance text, syntax text, category text, called text, evidence text,
       latency_ms int)`,
    [runId, JSON.stringify(stored)],
  );
}, 60_000);

/** The ids of a whole list, read in pages of eleven. */
async function idsOf(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await client.get(`${path}?limit=11&${query}${cursor && `&cursor=${cursor}`}`);
    expect({ status, ...(status !== 200 && body) }).toEqual({ status: 200 });
    ids.push(...body.items.map(({ id }: { id: string }) => id));
    if (body.next_cursor === null) return ids;
    expect(body.next_cursor).not.toBe(cursor);
    cursor = body.next_cursor;
  }
}

const byModelAndCase = (one: Stored, other: Stored): number =>
  one.target - other.target || one.case_position - other.case_position || one.sample - other.sample;
/** What a model did wrong comes before what its provider did. */
const failureRank = ({ error_type: type }: Stored): number =>
  type === 'errored' ? ERROR_TYPES.length : ERROR_TYPES.indexOf(type);
const ORDERS: Record<string, (one: Stored, other: Stored) => number> = {
  settled: (one, other) => one.seq - other.seq,
  case: (one, other) => one.case_position - other.case_position || byModelAndCase(one, other),
  failures: (one, other) =>
    Number(one.passed) - Number(other.passed) ||
    (one.passed ? 0 : failureRank(one) - failureRank(other)) ||
    byModelAndCase(one, other),
};
const is =
  (key: keyof Stored, ...values: unknown[]) =>
  (result: Stored): boolean =>
    values.includes(result[key]);
const all =
  (...filters: ((result: Stored) => boolean)[]) =>
  (result: Stored): boolean =>
    filters.every((filter) => filter(result));
const isCase =
  (...kinds: number[]) =>
  (result: Stored) =>
    kinds.includes(result.case_position % 4);
const isCall =
  (...calls: number[]) =>
  (result: Stored) =>
    result.outcome === 'scored' && calls.includes(result.evidence ? 4 : CALLED.indexOf(result.called));
const FILTERS: [string, (result: Stored) => boolean][] = [
  ['', () => true],
  ['model=sim::b', is('target', 1)],
  ['model=sim::c&model=a', is('target', 0, 2)],
  ['model=nobody', () => false],
  ['outcome=errored', is('outcome', 'errored')],
  ['outcome=scored&passed=false', all(is('outcome', 'scored'), is('passed', false))],
  ['passed=true', is('passed', true)],
  ['passed=false', is('passed', false)],
  ['error_type=wrong_tool', is('error_type', 'wrong_tool')],
  ['error_type=unknown_tool&error_type=errored', is('error_type', 'unknown_tool', 'errored')],
  ['error_type=none&error_type=errored&model=b', all(is('error_type', 'none', 'errored'), is('target', 1))],
  ['category=odd', is('category', 'odd')],
  ['category=odd&category=even&passed=false', all(is('category', 'odd', 'even'), is('passed', false))],
  ['format=repaired&format=none', is('format_compliance', 'repaired', 'none')],
  ['syntax=hermes', is('syntax', 'hermes')],
  ['syntax=hermes&syntax=thoughts&model=b', all(is('syntax', 'hermes', 'thoughts'), is('target', 1))],
  ['tag=tag-1&tag=tag-2', isCase(1, 2)],
  ['tag=tagged', isCase(1, 2, 3)],
  ['expected_tool=get_weather', isCase(0, 1)],
  ['expected_tool=get_time', isCase(1, 3)],
  ['expected_tool=get_time%20or%20get_weather', isCase(1)],
  ['expected_tool=(none)&expected_tool=nothing', isCase(2)],
  ['called_tool=get_weather', isCall(0)],
  ['called_tool=get_time', isCall(1, 4)],
  ['called_tool=(none)', isCall(2)],
  ['called_tool=(unknown)', isCall(3)],
  ['called_tool=search&called_tool=(none)', isCall(2, 3)],
  ['expected_tool=get_weather&called_tool=get_time', all(isCase(0, 1), isCall(1, 4))],
  ['latency_min_ms=500', ({ latency_ms }) => latency_ms !== null && latency_ms >= 500],
  ['latency_min_ms=300&latency_max_ms=400', ({ latency_ms }) => [300, 400].includes(latency_ms ?? 0)],
];

describe.each(Object.keys(ORDERS))('results in the order %s', (order) => {
  it.each(FILTERS)('are listed completely and once each, filtered by "%s"', async (query, filter) => {
    const expected = stored
      .filter(filter)
      .sort(ORDERS[order])
      .map(({ id }) => id);
    expect(await idsOf(`order=${order}&${query}`)).toEqual(expected);
  });

  it.each(['', 'model=sim::b&model=c', 'tag=tagged&called_tool=get_time', 'passed=true', 'error_type=none'])(
    'have the neighbours of the list filtered by "%s"',
    async (query) => {
      const { items } = (await client.get(`${path}?limit=200&order=${order}&${query}`)).body;
      const ids: string[] = items.map(({ id }: { id: string }) => id);
      const failed = new Set(stored.filter(({ passed }) => !passed).map(({ id }) => id));
      const isFailure = (id: string): boolean => failed.has(id);
      for (const [index, id] of ids.entries()) {
        if (index % 5 && index < ids.length - 2) continue;
        const { body } = await client.get(`${path}/${id}/neighbours?order=${order}&${query}`);
        expect({ id, ...body }).toEqual({
          id,
          previous: ids[index - 1] ?? null,
          next: ids[index + 1] ?? null,
          previous_failure: ids.slice(0, index).findLast(isFailure) ?? null,
          next_failure: ids.slice(index + 1).find(isFailure) ?? null,
        });
      }
    },
  );

  it('have neighbours within a filter that excludes the result itself', async () => {
    const place = stored.toSorted(ORDERS[order]);
    const index = place.findIndex(({ target }, n) => target !== 1 && n > 30);
    const { body } = await client.get(`${path}/${place[index]!.id}/neighbours?order=${order}&model=b`);
    expect(body).toMatchObject({
      previous: place.slice(0, index).findLast(is('target', 1))?.id ?? null,
      next: place.slice(index).find(is('target', 1))?.id ?? null,
    });
  });

  it('are listed for one case, and are neighbours of each other', async () => {
    const { items } = (await client.get(`${path}?order=case&limit=200`)).body;
    const caseId = items.find(({ id }: { id: string }) => id === '0-5-0').case_id;
    const expected = stored
      .filter(all(is('case_position', 5), is('target', 1, 2)))
      .sort(ORDERS[order])
      .map(({ id }) => id);
    expect(await idsOf(`order=${order}&case_id=${caseId}&model=b&model=c`)).toEqual(expected);
    const { body } = await client.get(
      `${path}/${expected[1]}/neighbours?order=${order}&case_id=${caseId}&model=b&model=c`,
    );
    expect(body).toMatchObject({ previous: expected[0], next: expected[2] });
    expect(await idsOf(`order=${order}&case_id=${runId}`)).toEqual([]);
  });

  it('continue only in the same order', async () => {
    const { next_cursor } = (await client.get(`${path}?order=${order}&limit=1`)).body;
    for (const other of Object.keys(ORDERS).filter((one) => one !== order))
      expect((await client.get(`${path}?order=${other}&cursor=${next_cursor}`)).body).toMatchObject({
        status: 400,
        detail: expect.stringContaining(`order=${order}`),
        errors: [{ path: '/cursor' }],
      });
  });
});

it('are shown lean: no evidence, no metrics, and no long text', async () => {
  const long = { city: 'x'.repeat(5000) };
  await api.pool.query(
    `UPDATE result SET called = $2 WHERE run_id = $1 AND target = 0 AND case_position = 0 AND sample = 0`,
    [
      runId,
      JSON.stringify([{ name: 'get_weather', arguments: long }, ...Array(30).fill({ name: 'f', arguments: {} })]),
    ],
  );
  const [whole] = (await client.get(`${path}?order=case&limit=1`)).body.items;
  const [lean] = (await client.get(`${path}?order=case&limit=1&lean=true`)).body.items;
  expect(whole.metrics).toEqual({ m: { score: 1 } });
  expect([...lean.prompt]).toHaveLength(200);
  expect(lean).toEqual({
    ...whole,
    evidence: null,
    metrics: {},
    prompt: [...whole.prompt].slice(0, 200).join(''),
    called: [
      { name: 'get_weather', arguments: null, raw: `${JSON.stringify(long).slice(0, 200)}…` },
      ...Array(9).fill({ name: 'f', arguments: {} }),
    ],
  });
});

it('say where a reply differs, without the evidence for it', async () => {
  const argument = { path: '/city', rule: 'exact', verdict: 'mismatch', expected: 'Rome', actual: 'Paris' };
  const evidence = { pairs: [{ called: 0, expected: 0, arguments: [argument] }], missing: [], unexpected: [] };
  const failed = stored.filter(all(is('passed', false), is('error_type', 'no_call'))).slice(0, 2);
  const [short, long] = [evidence, { ...evidence, notes: ['x'.repeat(20_000)] }].map((one) => JSON.stringify(one));
  for (const [index, { target, case_position, sample }] of failed.entries())
    await api.pool.query(
      `UPDATE result SET evidence = $5
       WHERE run_id = $1 AND target = $2 AND case_position = $3 AND sample = $4`,
      [runId, target, case_position, sample, [short, long][index]],
    );
  const [first, second] = failed as [Stored, Stored];
  const named = `${path}?id=${second.id}&id=${first.id}&id=0-999-0&limit=1`;
  const { items, next_cursor: next } = (await client.get(`${named}&lean=true`)).body;
  expect({ next, ids: items.map(({ id }: { id: string }) => id) }).toEqual({ next: null, ids: [second.id, first.id] });
  expect(items[1]).toMatchObject({
    evidence: null,
    difference: { kind: 'argument', argument: '/city', rule: 'exact', expected: 'Rome', called: 'Paris', more: 0 },
  });
  expect(items[0].difference).toBeNull();
  const whole = (await client.get(named)).body.items;
  for (const { difference } of whole) expect(difference).toMatchObject({ argument: '/city', called: 'Paris' });
});

it.each([
  ['id=x', '/id/0'],
  ['order=worst', '/order'],
  ['error_type=bad', '/error_type/0'],
  ['error_type=none&error_type=bad', '/error_type/1'],
  ['format=xml', '/format/0'],
  ['latency_min_ms=soon', '/latency_min_ms'],
  [Array.from({ length: 51 }, (_, n) => `tag=${n}`).join('&'), '/tag'],
  ['lean=1', '/lean'],
  ['cursor=x', '/cursor'],
  ['order=failures&cursor=failed.bad.1.1.1', '/cursor'],
])('refuse %s', async (query, pointer) => {
  expect(await client.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { errors: [{ path: pointer }] } });
});

it.each(['0-99-0', '7-0-0', 'x'])('%s has no neighbours', async (id) => {
  for (const order of Object.keys(ORDERS))
    expect((await client.get(`${path}/${id}/neighbours?order=${order}`)).status).toBe(404);
});

it('of a rescore cannot be listed failures first', async () => {
  const rescore = '019aa8a2-5c1e-7000-8000-000000000081';
  expect((await client.get(`${path}?order=failures&rescore_id=${rescore}`)).body).toMatchObject({
    status: 422,
    detail: expect.stringContaining('passed=false'),
    errors: [{ path: '/order' }],
  });
});

it('of one team delay neither its other requests nor other teams', async () => {
  const other = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  const release = await lockTable(api.pool, 'result');
  let refused = 0;
  const asked = Array.from({ length: 120 }, async (_, n) => {
    const answer = await client.get(
      n % 2 ? `${path}?order=case&called_tool=search` : `${path}/0-0-0/neighbours?order=case`,
    );
    if (answer.status === 429) refused++;
    return answer;
  });
  await until(() => refused > 0, { what: 'the first refusal' });
  expect((await other.get('/api/me')).status).toBe(200);
  expect((await client.get('/api/jobs')).status).toBe(200);
  await release();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(answers.find(({ status }) => status === 429)!.body.detail).toMatch(/lists of this team are queued/);
});

it('of more than 50 entries are read one at a time per team, and a few hundred wait', async () => {
  const other = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  const release = await lockTable(api.pool, 'run');
  const asked = Array.from({ length: 320 }, () => client.get('/api/tool-eval/history?limit=51'));
  try {
    const refused = await Promise.race(asked);
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringMatching(/^300 long lists/) } });
    expect((await other.get('/api/me')).status).toBe(200);
    expect((await client.get('/api/tool-suites?limit=50')).status).toBe(200);
  } finally {
    await release();
  }
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(301);
});

it('are visible only to their team', async () => {
  const other = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  for (const query of ['?order=failures', '?order=case&expected_tool=get_weather', '?lean=true', '/0-0-0/neighbours'])
    expect((await other.get(`${path}${query}`)).status).toBe(404);
});
