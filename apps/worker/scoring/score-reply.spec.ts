import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { RunMetric } from '#lib/contracts/metric';
import type { Tool } from '#lib/contracts/tool';
import { isCheapToScore } from '#lib/scoring/house/is-cheap-to-score';
import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { prepare } from './prepare-case.js';
import { ReplyScorer, Unscorable } from './score-reply.js';
import type { Reply } from './exchange.js';

const logged: object[] = [];
const logger = { error: (facts: object) => void logged.push(facts) } as never;
const scorers: ReplyScorer[] = [];
const scorerOf = (limits: ConstructorParameters<typeof ReplyScorer>[1] = {}): ReplyScorer => {
  const scorer = new ReplyScorer(logger, limits);
  scorers.push(scorer);
  return scorer;
};
afterAll(() => Promise.all(scorers.map((scorer) => scorer.close())));
const shared = scorerOf();

const tools: Tool[] = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } } },
  {
    type: 'function',
    function: {
      name: 'deep',
      parameters: {
        $ref: '#/$defs/n',
        $defs: {
          n: { properties: { x: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] }, y: { type: 'null' } } },
        },
      },
    },
  },
];
const aCase = (input: CaseInput) => prepare(input, null, tools, 1);
const replied = (message: JsonObject): Reply => ({ message, finishReason: 'stop' });
const call = (name: string, args: string) => ({ function: { name, arguments: args } });
const nobody = () => Promise.reject(new Error('nobody is asked'));
const alone = { share: 'a', signal: new AbortController().signal, similarity: nobody };

test('a large reply is scored in another thread exactly like a small one, to the digits of its numbers', async () => {
  const prepared = aCase({
    expected_tool: 'f',
    expected_params: parseJson('{"n": 12345678901234567890, "a": "Paris"}') as JsonObject,
  });
  const small = replied({ tool_calls: [call('F', '{"n": 12345678901234567890.0, "a": "paris"}')] });
  const large = replied({ ...small.message, content: 'x'.repeat(100_000) });
  expect([isCheapToScore(prepared, [small.message], []), isCheapToScore(prepared, [large.message], [])]).toEqual([
    true,
    false,
  ]);
  const [here, there] = [
    await shared.score(prepared, [small], [], alone),
    await shared.score(prepared, [large], [], alone),
  ];
  expect(there.verdict).toMatchObject({ overall: 1, passed: true });
  expect(JSON.stringify(there)).toBe(JSON.stringify(here));
});

describe('a conversation that was recorded', () => {
  const conversation = {
    state: { kept: 'x'.repeat(200_000) },
    tools: {
      f: [{ respond: 'fine' }],
      deep: [{ effects: [{ op: 'add' as const, path: '/more', value: { $state: '' } }] }],
    },
    goal: { calls: [{ tool: 'f' }], answer: [{ contains: 'fine' }] },
  };
  const said = replied({ content: 'It is fine.' });
  const id = 'toolmark.conversation';
  const metrics = [{ id, as: id, options: {} }];

  test('is played by its rules', async () => {
    const first = replied({ tool_calls: [call('f', '{}')] });
    const scored = await shared.score(aCase({ conversation }), [first, said], metrics, alone);
    expect(scored.verdict).toMatchObject({ overall: 1, passed: true });
    expect(scored.metrics).toMatchObject({ [id]: { score: 1 }, 'conversation.calls': { score: 1 } });
  });

  test('has no score when its suite has a fault', async () => {
    const first = replied({ tool_calls: [call('deep', '{}')] });
    await expect(shared.score(aCase({ conversation }), [first, said], metrics, alone)).rejects.toMatchObject({
      kind: 'conversation',
      message: expect.stringContaining('Change the rules of the suite.'),
    });
  });
});

test('a conversation is judged as it was played, by a metric of the run too', async () => {
  const prepared = aCase({
    conversation: { state: {}, tools: { f: [{ error: 'Today it fails.' }] }, goal: { state: { '/a': 1 } } },
  });
  const change = { op: 'add' as const, path: '/a', value: 1 };
  const answered = { name: 'f', arguments: {}, answer: 'ok', is_error: false, rule: 0, changes: [change] };
  const rounds = [
    { calls: [answered], user: null },
    { calls: [], user: 'Go on.' },
    { calls: [], user: null },
  ];
  const replies = [replied({ tool_calls: [call('f', '{}')] }), replied({ content: 'a' }), replied({ content: 'b' })];
  const id = 'toolmark.conversation';
  const played = { rounds, end: 'answered' as const };
  const scored = await shared.score(prepared, replies, [{ id, as: id, options: {} }], { ...alone, played });
  expect(scored.verdict).toMatchObject({ passed: true, evidence: { conversation: { rounds: 3 } } });
  const { overall: score, called: _called, abstention: _abstention, ...rest } = scored.verdict;
  const { finish_reason: _reason, ...evidence } = rest.evidence;
  expect(scored.metrics![id]).toEqual({ score, ...rest, evidence });
});

test('a verdict says how the last reply ended if its provider reports it', async () => {
  const ended = async (...reasons: (string | null)[]) => {
    const replies = reasons.map((finishReason) => ({ message: { content: 'x' }, finishReason }));
    return (await shared.score(aCase({ expected_tool: null }), replies, [], alone)).verdict.evidence.finish_reason;
  };
  expect([await ended('stop'), await ended('x'.repeat(200)), await ended('a\0\ud83d'), await ended(null)]).toEqual([
    'stop',
    'x'.repeat(100),
    'a\ufffd',
    undefined,
  ]);
});

test('metrics of a large reply are the same as in this thread, with keys in their written order', async () => {
  const metrics = [
    { id: 'ragas_tool_call_f1', options: {} },
    { id: 'axion_tool_correctness', options: { check_parameters: true } },
  ] as unknown as RunMetric[];
  const prepared = aCase({ expected_tool: 'f', expected_params: parseJson('{"b": {"2": 1.0, "1": 2}}') as JsonObject });
  const small = replied({ tool_calls: [call('f', '{"b": {"2": 1.0, "1": 2}}')] });
  const large = replied({ ...small.message, content: 'x'.repeat(100_000) });
  const [here, there] = await Promise.all(
    [small, large].map((reply) => shared.score(prepared, [reply], metrics, alone)),
  );
  expect(there!.metrics).toEqual(here!.metrics);
  expect(there!.metrics).toMatchObject({ ragas_tool_call_f1: { score: 1 }, axion_tool_correctness: { score: 1 } });
});

test('third-party metrics see all calls of an oversized reply', async () => {
  const prepared = aCase({ expected_tool: 'f' });
  const calls = [...Array.from({ length: 1500 }, () => call('f', '{}')), call('g', '{}')];
  const scored = await shared.score(
    prepared,
    [replied({ tool_calls: calls })],
    [{ id: 'promptfoo_tool_call_f1', options: { threshold: 1, inverse: false } }],
    alone,
  );
  expect(scored.verdict).toMatchObject({
    error_type: 'oversized_reply',
    evidence: { bound: { what: 'calls', found: 1501 } },
  });
  expect(scored.metrics!.promptfoo_tool_call_f1!.score).toBeCloseTo(2 / 3, 9);
});

test.each(['here', 'in a thread'])(
  'vectors of texts compared by meaning %s are requested once, and the reply is scored again with them',
  async (where) => {
    const asked: string[][] = [];
    const similarity = async (a: string, b: string) => (asked.push([a, b]), 0.9);
    const prepared = aCase({
      expected_tool: 'f',
      expected_params: { a: 'the capital of France' },
      param_scoring: 'semantic',
    });
    const reply = replied({
      tool_calls: [call('f', '{"a": "Paris"}'), call('f', '{"a": "Paris"}')],
      content: where === 'here' ? null : 'x'.repeat(100_000),
    });
    const { verdict } = await shared.score(prepared, [reply], [], { ...alone, similarity });
    expect(verdict).toMatchObject({ overall: 1, passed: true });
    expect(asked).toEqual([['the capital of France', 'Paris']]);
  },
);

test('a reply that takes too long to score is unscorable, and the next one is scored', async () => {
  const scorer = scorerOf({ cpuMs: 500 });
  const random = seededRandom(3);
  const letters = (): string =>
    Array.from({ length: 19_000 }, () => String.fromCharCode(0x100 + Math.floor(random() * 150))).join('');
  const slow = aCase({ expected_tool: 'f', expected_params: { a: letters() }, param_scoring: 'fuzzy' });
  const text = letters();
  const another = (n: number): string => JSON.stringify({ a: text.slice(n) + text.slice(0, n) });
  // Thirty times the limit, as measured on a slow machine: a faster one refuses it as well.
  const refused = scorer.score(
    slow,
    [replied({ tool_calls: Array.from({ length: 300 }, (_, n) => call('f', another(n))) })],
    [],
    alone,
  );
  await expect(refused).rejects.toThrow(Unscorable);
  await expect(refused).rejects.toMatchObject({
    kind: 'unscorable',
    message: expect.stringMatching(/more than 0.5 s of CPU time.*a resume or a rescore/),
  });
  const quick = aCase({ expected_tool: 'f' });
  expect(
    (
      await scorer.score(
        quick,
        [replied({ tool_calls: [call('f', JSON.stringify({ a: 'x'.repeat(50_000) }))] })],
        [],
        alone,
      )
    ).verdict.passed,
  ).toBe(true);
});

test('a schema whose cost doubles with each level is abandoned', async () => {
  const prepared = aCase({ expected_tool: 'deep' });
  const nested = `${'{"x":'.repeat(50)}{"y":1}${'}'.repeat(50)}`;
  expect(isCheapToScore(prepared, [{ tool_calls: [call('deep', '{}')] }], [])).toBe(false);
  await expect(
    scorerOf({ cpuMs: 500 }).score(prepared, [replied({ tool_calls: [call('deep', nested)] })], [], alone),
  ).rejects.toMatchObject({ kind: 'unscorable' });
});

test('an unexpected error in scoring is an internal error, and its stack is logged', async () => {
  const broken = {
    ...aCase({ expected_tool: 'f' }),
    score: () => {
      throw new TypeError('no such thing');
    },
  };
  await expect(
    shared.score(broken as never, [replied({ tool_calls: [call('f', '{}')] })], [], alone),
  ).rejects.toMatchObject({ kind: 'internal' });
  expect(logged.at(-1)).toMatchObject({ error: 'no such thing', stack: expect.stringContaining('score-reply.spec') });
});

test('an error of the embedding model is rethrown', async () => {
  const prepared = aCase({ expected_tool: 'f', expected_params: { a: 'x' }, param_scoring: 'semantic' });
  await expect(shared.score(prepared, [replied({ tool_calls: [call('f', '{"a": "y"}')] })], [], alone)).rejects.toThrow(
    'nobody is asked',
  );
});

test('a verdict on megabytes of arguments keeps the mismatches, not the megabytes', async () => {
  const prepared = aCase({ expected_tool: 'f', expected_params: { a: 'y' } });
  const { verdict } = await shared.score(
    prepared,
    [replied({ tool_calls: [call('f', JSON.stringify({ a: 'x'.repeat(3e6) }))] })],
    [],
    alone,
  );
  expect(verdict).toMatchObject({
    overall: 0.6,
    error_type: 'wrong_argument',
    evidence: { pairs: [{ called: 0, arguments: [{ verdict: 'mismatch' }] }], missing: [] },
  });
  expect(JSON.stringify(verdict).length).toBeLessThan(20_000);
  expect(verdict.evidence.notes).toEqual([expect.stringContaining('shortened')]);
});

test('a large reply is parsed with the tool names that were sent to its model, like a small one', async () => {
  const names = { f_1: 'f' };
  const written = (size: number): Reply => ({
    ...replied({ content: `{"name": "f_1", "arguments": {"a": "${'x'.repeat(size)}"}}` }),
    names,
  });
  for (const reply of [written(1), written(50_000)]) {
    expect((await shared.score(aCase({ expected_tool: 'f' }), [reply], [], alone)).verdict).toMatchObject({
      overall: 1,
      called: [{ name: 'f' }],
    });
    expect(
      await shared.runTools(aCase({ multi_turn: true, expected_tool: 'deep' }), reply, new Map(), alone),
    ).toMatchObject({ calls: [{ name: 'f' }] });
  }
});

test('tools return the same mocks, in order, in large and small rounds of a chain', async () => {
  const prepared = aCase({ multi_turn: true, expected_tool: 'deep', mock_responses: { f: ['one', 'two'] } });
  const callCounts = new Map<string, number>();
  const round = (args: string) => replied({ tool_calls: [call('f', args)] });
  expect(
    await shared.runTools(prepared, round(JSON.stringify({ a: 'x'.repeat(50_000) })), callCounts, alone),
  ).toMatchObject({ results: ['one'] });
  expect(await shared.runTools(prepared, round('{}'), callCounts, alone)).toMatchObject({
    calls: [{ name: 'f', arguments: {} }],
    results: ['two'],
  });
  expect(
    await shared.runTools(
      prepared,
      replied({ tool_calls: Array.from({ length: 1001 }, () => call('f', '{}')) }),
      callCounts,
      alone,
    ),
  ).toBeUndefined();
  expect(await shared.runTools(prepared, replied({ content: 'Done.' }), callCounts, alone)).toBeUndefined();
});
