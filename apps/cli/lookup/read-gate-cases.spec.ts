import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '#lib/client/api-client';
import type { GateAnswer } from '#lib/gate/contract';
import { MAX_BROKEN, MAX_CASES, readBroken, readCases } from './read-gate-cases.js';

const MODEL = 'p::a';
/** The cases of a run by number: broken, worse or right, and some that only errored. */
let outcomes: string[];
let errored: string[];
let asked: URLSearchParams[];
let server: Server;
let client: ApiClient;

const item = (index: number) => ({
  case_id: `case-${index}`,
  case_name: null,
  prompt: `Prompt ${index}. ${'x'.repeat(5000)}`,
  expected: { tool: 'go' },
  outcome: outcomes[index],
  b: { passed_samples: 0, scored_samples: 1, called: [], explanation: ['Because.'] },
});

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url!, 'http://server');
    asked.push(query);
    const isItems = pathname === '/api/compare/items';
    const all = isItems
      ? outcomes.flatMap((outcome, index) => ([null, outcome].includes(query.get('outcome')) ? [item(index)] : []))
      : errored.map((id) => ({ case_id: id, case_name: id, prompt: '', error: { message: 'No answer.' } }));
    const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
    const next = from + limit < all.length ? String(from + limit) : null;
    response.end(JSON.stringify({ items: all.slice(from, from + limit), next_cursor: next }));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
afterAll(() => server.close());
beforeEach(() => ([outcomes, errored, asked] = [[], [], []]));

const answerOf = (...targets: object[]) =>
  ({
    gate: { measure: 'passed' },
    eval_id: 'run-b',
    baseline_eval_id: 'run-a',
    targets: targets.map((target) => ({ target: MODEL, baseline_target: MODEL, n_cases: 9, ...target })),
  }) as unknown as GateAnswer;

it('lists broken cases first, then worse ones, the others, and those that only errored, each once', async () => {
  outcomes = ['same_right', 'worse', 'broken', 'fixed'];
  errored = ['case-2', 'case-8', 'case-8'];
  const { cases, cut } = await readCases(client, answerOf({}));
  expect(cases.map(({ state }) => state)).toEqual(['broken', 'worse', 'same_right', 'fixed', 'errored']);
  expect(cut).toBe(false);
  expect(cases[0]).toEqual({
    name: expect.stringMatching(/^Prompt 2\. x+…$/),
    target: MODEL,
    state: 'broken',
    samples: '0 of 1 passed',
    expected: 'go with any arguments',
    called: 'no call',
    explanation: ['Because.'],
  });
  expect(cases[0]!.name.length).toBeLessThanOrEqual(100);
  expect(cases.at(-1)).toMatchObject({ name: 'case-8', explanation: ['No answer.'] });
});

it('requests the pair of models and the measure of the gate, with added samples', async () => {
  outcomes = ['broken'];
  expect(await readBroken(client, answerOf({ baseline_target: 'p::old' }))).toHaveLength(1);
  expect(Object.fromEntries(asked[0]!)).toEqual({
    ...{ a: 'run-a', b: 'run-b', measure: 'passed', pairs: 'p::old~p::a', extended: 'true' },
    ...{ outcome: 'broken', limit: '200' },
  });
});

it('reads no more cases than a report holds, reports the cut, and keeps the broken ones', async () => {
  outcomes = [...Array.from({ length: MAX_CASES + 500 }, () => 'same_right'), 'broken'];
  errored = Array.from({ length: 700 }, (_, n) => `other-${n}`);
  const { cases, cut } = await readCases(client, answerOf({}));
  expect(cases.filter(({ state }) => state !== 'errored')).toHaveLength(MAX_CASES);
  expect(cases).toHaveLength(MAX_CASES + 500);
  expect(cases[0]!.state).toBe('broken');
  expect(cut).toBe(true);
  expect(asked.length).toBeLessThan(40);
  outcomes = Array.from({ length: 300 }, () => 'broken');
  expect(await readBroken(client, answerOf({}))).toHaveLength(MAX_BROKEN);
});

it('sends no request if nothing was compared', async () => {
  outcomes = ['broken'];
  for (const answer of [
    answerOf({ baseline_target: null }),
    answerOf({ n_cases: 0 }),
    { ...answerOf({}), baseline_eval_id: null },
    { ...answerOf({}), eval_id: null },
  ])
    expect(await readCases(client, answer)).toEqual({ cases: [], cut: false });
  expect(asked).toEqual([]);
});
