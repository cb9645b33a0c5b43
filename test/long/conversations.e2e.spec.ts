import { calling, startEndpoint } from '../endpoint.js';
import { drawn, playsAll } from '../seed.js';
import { startSystem, type System } from '../system.js';
import { untilJobCompleted, untilRunCompleted, untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

const ROUNDS = 4;
const CONVERSATIONS = 40;
const roundOf = (body: any): number => body.messages.filter(({ role }: any) => role === 'assistant').length;
/** Adds one in each round but the last, in which it says how many there are. */
const adding = (body: any): object =>
  roundOf(body) < ROUNDS - 1 ? calling('add', { n: 1 }) : { role: 'assistant', content: 'There are 3 now.' };

const tools = [
  {
    type: 'function',
    function: { name: 'add', parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
  },
];
const caseOf = (n: number) => ({
  name: `Case ${n}`,
  prompt: `Please add three times: ${n}.`,
  conversation: {
    state: { added: [] },
    tools: {
      add: [
        { when: { call: 1 }, error: 'Busy, try again.', effects: [] },
        { effects: [{ op: 'add', path: '/added/-', value: { $argument: '/n' } }], respond: { $state: '/added' } },
      ],
    },
    goal: {
      calls: [{ tool: 'add' }, { tool: 'add' }, { tool: 'add' }],
      state: { '/added': [1, 1] },
      answer: [{ number: 3 }],
    },
  },
});

let system: System;
beforeAll(async () => void (system = await startSystem({ workers: 2 })));

async function submit(key: string, url: string, cases: number | object[], more: object = {}) {
  const { client } = system;
  const model = { id: 'm', input_cost_per_mtok: 1, output_cost_per_mtok: 1 };
  const provider = { key, base_url: url, models: [model], limits: { max_concurrency: 500 } };
  expect(await client.post('/api/providers', provider)).toMatchObject({ status: 201 });
  const test_cases = Array.isArray(cases) ? cases : Array.from({ length: cases }, (_, n) => caseOf(n));
  const imported = await client.post('/api/tool-eval/import', { name: key, tools, test_cases });
  expect({ status: imported.status, errors: imported.body.errors }).toEqual({ status: 201 });
  const { suite_id } = imported.body;
  const { status, body } = await client.post('/api/tool-eval', {
    suite_id,
    models: [`${key}::m`],
    cache: 'off',
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.eval_id as string;
}
const stored = async (runId: string, round: number): Promise<number> =>
  (
    await system.sql.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM conversation_round WHERE run_id = $1 AND round = $2',
      [runId, round],
    )
  ).rows[0]!.n;

// A commit kills after one of the rounds; `npm run test:soak` after each.
it('a conversation keeps its rounds: workers that are killed pay at most the request in flight again', async () => {
  const host = await startEndpoint(adding);
  const runId = await submit('kills', host.url, CONVERSATIONS);
  let kills = 0;
  for (let round = 0; round < ROUNDS - 1; round++) {
    await until(() => host.waiting().length === CONVERSATIONS, {
      what: `requests of round ${round}`,
      timeoutMs: 60_000,
    });
    host.answer();
    await until(async () => (await stored(runId, round)) === CONVERSATIONS, { what: `stored rounds ${round}` });
    await until(() => host.waiting().length === CONVERSATIONS, { what: `requests after round ${round}` });
    if (!playsAll && round !== drawn(ROUNDS - 1)) continue;
    kills += 1;
    await Promise.all(system.workers.splice(0).map((worker) => worker.kill('SIGKILL')));
    await Promise.all([system.startWorker(), system.startWorker()]);
  }
  await until(() => host.waiting().length === CONVERSATIONS, { what: 'the last requests', timeoutMs: 60_000 });
  host.open();
  const run = await untilRunCompleted(system.client, runId);
  const counts = new Map<string, number>();
  for (const { body } of host.asked) {
    const key = `${body.messages.find(({ role }: any) => role === 'user').content} ${roundOf(body)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(CONVERSATIONS * ROUNDS);
  expect(host.asked).toHaveLength(CONVERSATIONS * (ROUNDS + kills));
  expect(Math.max(...counts.values())).toBe(2);
  const { rows } = await system.sql.query(
    `SELECT sum(requests)::int AS requests, round(sum(cost_usd))::int AS cost,
       (SELECT sum(attempts)::int FROM result WHERE run_id = $1) AS attempts FROM target WHERE run_id = $1`,
    [runId],
  );
  const requests = CONVERSATIONS * ROUNDS;
  expect(rows).toEqual([{ requests, cost: requests, attempts: requests }]);
  const { body: page } = await system.client.get(`/api/tool-eval/history/${runId}/results`);
  const { body: result } = await system.client.get(`/api/tool-eval/history/${runId}/results/${page.items[0].id}`);
  expect(result).toMatchObject({
    passed: true,
    exchange: {
      conversation: [
        { calls: [{ answer: 'Busy, try again.', is_error: true }] },
        { calls: [{ answer: '[1]', changes: [{ op: 'add', value: 1 }] }] },
        { calls: [{ answer: '[1,1]' }] },
        { calls: [], user: null },
      ],
    },
  });
  expect(result.exchange.requests.at(-1).messages).toHaveLength(1 + 2 * (ROUNDS - 1));
  expect(result.exchange.requests.at(-1).messages[2]).toMatchObject({
    role: 'tool',
    content: 'Error: Busy, try again.',
  });
  expect(run.summaries[0]).toMatchObject({ passed: CONVERSATIONS });
});

it('a worker that is stopped hands conversations back at the end of a round', async () => {
  const host = await startEndpoint(adding);
  const runId = await submit('stops', host.url, 4);
  await until(() => host.waiting().length === 4, { what: 'the first requests' });
  const stopping = system.workers.splice(0).map((worker) => worker.stop());
  await system.startWorker();
  host.answer();
  await Promise.all(stopping);
  await until(() => host.waiting().length === 4, { what: 'the second requests', timeoutMs: 30_000 });
  host.open();
  await untilRunCompleted(system.client, runId);
  expect(host.asked).toHaveLength(4 * ROUNDS);
});

it('a cancelled run stops its conversations within a second, and a resume goes on where they were', async () => {
  const host = await startEndpoint(adding);
  const runId = await submit('cancels', host.url, 4);
  await until(() => host.waiting().length === 4, { what: 'the first requests' });
  host.answer();
  await until(() => host.waiting().length === 4, { what: 'the second requests' });
  const { body } = await system.client.get(`/api/tool-eval/history/${runId}`);
  const cancelledAt = performance.now();
  await system.client.post(`/api/jobs/${body.job_id}/cancel`);
  await until(() => host.waiting().length === 0, { what: 'the end of requests', everyMs: 10 });
  expect(performance.now() - cancelledAt).toBeLessThan(1000);
  expect(await system.client.post(`/api/tool-eval/history/${runId}/resume`, {})).toMatchObject({ status: 202 });
  host.open();
  await untilRunCompleted(system.client, runId);
  expect(host.asked).toHaveLength(4 * (ROUNDS + 1));
});

it('a budget stops conversations between rounds, without a request beyond it; a larger one goes on', async () => {
  const host = await startEndpoint(adding);
  host.open();
  const runId = await submit('budget', host.url, 500, { budget: { max_requests: 900 } });
  expect(await untilRunEnded(system.client, runId, 60_000)).toMatchObject({ status: 'budget_exceeded' });
  expect(host.asked).toHaveLength(900);
  const resumed = await system.client.post(`/api/tool-eval/history/${runId}/resume`, { budget: null });
  expect(resumed).toMatchObject({ status: 202 });
  await untilRunCompleted(system.client, runId);
  expect(host.asked).toHaveLength(500 * ROUNDS);
});

it('a conversation is answered from the cache whole, and scored again as it was played', async () => {
  const host = await startEndpoint(adding);
  host.open();
  const runId = await submit('cached', host.url, 2, { cache: 'use' });
  const first = await untilRunCompleted(system.client, runId);
  const again = await system.client.post('/api/tool-eval', {
    suite_id: first.suite.id,
    models: ['cached::m'],
    cache: 'use',
  });
  const second = await untilRunCompleted(system.client, again.body.eval_id);
  expect(host.asked).toHaveLength(2 * ROUNDS);
  expect(second.summaries[0]).toMatchObject({ passed: 2 });
  const { body: page } = await system.client.get(`/api/tool-eval/history/${second.id}/results`);
  const { body: result } = await system.client.get(`/api/tool-eval/history/${second.id}/results/${page.items[0].id}`);
  expect(result).toMatchObject({ cached: true, attempts: 0 });
  expect(result.exchange.conversation).toHaveLength(ROUNDS);
  const rescored = await system.client.post(`/api/tool-eval/history/${second.id}/rescore`, {});
  expect(await untilJobCompleted(system.client, rescored.body.job_id)).toMatchObject({
    progress: { done: 2, errored: 0 },
  });
});

const resultsByName = async (runId: string): Promise<Record<string, any>> => {
  const { body } = await system.client.get(`/api/tool-eval/history/${runId}/results`);
  const whole = body.items.map(({ id }: any) => system.client.get(`/api/tool-eval/history/${runId}/results/${id}`));
  return Object.fromEntries((await Promise.all(whole)).map((one) => [one.body.case_name, one.body]));
};

it('a bound that a rule breaks is the fault of the suite, one that messages break is that of the model', async () => {
  const talkative = { ...calling('add', { n: 1 }), content: 'x'.repeat(600_000) };
  const host = await startEndpoint((body) => (body.messages[0].content === 'Talk.' ? talkative : adding(body)));
  host.open();
  const { conversation, ...rest } = caseOf(0);
  const doubles = { add: [{ effects: [{ op: 'copy', from: '/added', path: '/again' }] }] };
  const runId = await submit('bounds', host.url, [
    {
      ...rest,
      name: 'doubles',
      conversation: { ...conversation, state: { added: ['x'.repeat(200_000)] }, tools: doubles },
    },
    { ...rest, name: 'talks', prompt: 'Talk.', conversation },
    { ...rest, name: 'fine', conversation },
  ]);
  const run = await untilRunCompleted(system.client, runId);
  expect(run.summaries[0]).toMatchObject({ scored: 2, errored: 1, passed: 1 });
  const { doubles: broken, talks, fine } = await resultsByName(runId);
  expect(broken).toMatchObject({
    outcome: 'errored',
    attempts: 1,
    error: {
      kind: 'conversation',
      message:
        'Rule 1 of add answers call 1 of the conversation, and makes the state larger than 262,144 bytes, or deeper ' +
        'than 32. Change the rules of the suite.',
    },
  });
  expect(talks).toMatchObject({
    outcome: 'scored',
    passed: false,
    error_type: 'oversized_reply',
    attempts: 2,
    evidence: { bound: { what: 'messages', limit: 2 ** 20, found: expect.any(Number) }, conversation: { rounds: 2 } },
    explanation: expect.arrayContaining([expect.stringMatching(/1,048,576/)]),
  });
  expect(talks.exchange.replies.map((reply: any) => reply.choices[0].message.content.length)).toEqual([
    600_000, 600_000,
  ]);
  expect(talks.exchange.conversation).toHaveLength(2);
  expect(fine).toMatchObject({ passed: true });
  expect(host.asked).toHaveLength(1 + 2 + ROUNDS);
});

it('facets say by which figures conversations fell short, and results are filtered by them', async () => {
  const { client } = system;
  const replies: Record<string, object> = { 'Claim it.': { role: 'assistant', content: 'There are 3 now.' } };
  const host = await startEndpoint((body) => replies[body.messages[0].content] ?? adding(body));
  host.open();
  const runId = await submit('facets', host.url, [caseOf(0), { ...caseOf(1), name: 'claims', prompt: 'Claim it.' }]);
  await untilRunCompleted(client, runId);
  const path = `/api/tool-eval/history/${runId}`;
  const facets = await until(
    async () => {
      const { status, body } = await client.get(`${path}/facets`);
      return status === 200 ? body : undefined;
    },
    { what: 'the run to be counted' },
  );
  const one = (value: string) => ({ value: `conversation.${value}`, by_target: [[0, 1, 0]] });
  expect(facets.missed).toEqual({ values: [one('calls'), one('fabricated'), one('state')], others: 0 });
  const namesOf = async (figure: string): Promise<string[]> =>
    (await client.get(`${path}/results?missed=conversation.${figure}`)).body.items.map((found: any) => found.case_name);
  expect([await namesOf('state'), await namesOf('fabricated'), await namesOf('answer')]).toEqual([
    ['claims'],
    ['claims'],
    [],
  ]);
});
