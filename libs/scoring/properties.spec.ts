import fc from '../../test/fast-check.js';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { pairInAnyOrder, pairInOrder, type CallPairs } from './house/pair-calls.js';
import { similarityOf } from './metrics/axion-similarity.js';
import { scoreMetric } from './metrics.js';
import type { MetricScore } from './metrics/metric.js';
import { sequenceRatio } from './arguments/sequence-ratio.js';

const name = fc.constantFrom<string>('f', 'g', 'h');
const saysNoMatcher = (one: Json): boolean => !JSON.stringify(one).includes('"$');
// Few keys and values, so that calls often match partly or completely.
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Json>('a', 'A', 1, 2, true, null, [], [1], { x: 1 }, 2.5) },
  (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>).filter(saysNoMatcher),
);
const args = fc.dictionary(fc.constantFrom('x', 'y', 'z'), value, {
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>;
const call = fc.record({ name, arguments: args });
type Call = { name: string; arguments: JsonObject };
const calls = fc.array(call, { maxLength: 5 });
const shuffled = calls.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
);

const tools = ['f', 'g', 'h', 'unasked'].map((one) => ({ type: 'function', function: { name: one } }));
const reply = (called: Call[]) => ({
  tool_calls: called.map((one) => ({ function: { name: one.name, arguments: JSON.stringify(one.arguments) } })),
});
const house = (called: Call[], expected: Call[], more = {}): MetricScore =>
  scoreMetric(
    'toolmark.single_turn',
    {},
    {
      case: { expected_calls: expected.map((one) => ({ tool: one.name, params: one.arguments })), ...more },
      tools,
      reply: reply(called),
    },
  );
type Scorer = (called: Call[], expected: Call[]) => MetricScore;
const toDeepEval = (list: Call[]) => list.map((one) => ({ name: one.name, input_parameters: one.arguments }));
const trajectory = (list: Call[]) => [
  { role: 'assistant', tool_calls: list.map((one) => ({ name: one.name, args: one.arguments })) },
];
const named =
  (id: string, options = {}): Scorer =>
  (called, expected) =>
    scoreMetric(id, options, { called, expected });

const orderFree: Record<string, Scorer> = {
  'toolmark.single_turn': house,
  ragas_tool_call_f1: named('ragas_tool_call_f1'),
  'axion_tool_correctness by names': named('axion_tool_correctness', { scoring: 'f1' }),
  'axion_tool_correctness by equal parameters': named('axion_tool_correctness', {
    scoring: 'f1',
    check_parameters: true,
  }),
  deepeval_tool_correctness: (called, expected) =>
    scoreMetric('deepeval_tool_correctness', {}, { called: toDeepEval(called), expected: toDeepEval(expected) }),
  'agentevals_trajectory_match unordered': (called, expected) =>
    scoreMetric(
      'agentevals_trajectory_match',
      { trajectory_match_mode: 'unordered' },
      { outputs: trajectory(called), reference_outputs: trajectory(expected) },
    ),
};
const orderBound: Record<string, Scorer> = {
  'toolmark.single_turn in order': (called, expected) => house(called, expected, { call_order: 'strict' }),
  ragas_tool_call_accuracy: named('ragas_tool_call_accuracy'),
  'ragas_tool_call_accuracy in any order': named('ragas_tool_call_accuracy', { strict_order: false }),
  'axion_tool_correctness in order': named('axion_tool_correctness', { strict_order: true, check_parameters: true }),
  'axion_tool_correctness fuzzy': named('axion_tool_correctness', {
    check_parameters: true,
    parameter_matching_strategy: 'fuzzy',
  }),
  'deepeval_tool_correctness in order': (called, expected) =>
    scoreMetric(
      'deepeval_tool_correctness',
      { should_consider_ordering: true, evaluation_params: ['input_parameters'] },
      { called: toDeepEval(called), expected: toDeepEval(expected) },
    ),
  'agentevals_trajectory_match strict': (called, expected) =>
    scoreMetric(
      'agentevals_trajectory_match',
      {},
      { outputs: trajectory(called), reference_outputs: trajectory(expected) },
    ),
};
const every = Object.entries({ ...orderFree, ...orderBound });

test.each(every)('%s stays within 0 and 1', (_id, score) => {
  fc.assert(
    fc.property(calls, calls, (called, expected) => {
      const result = score(called, expected).score!;
      return result >= 0 && result <= 1;
    }),
  );
});

test.each(Object.entries(orderFree))('%s does not change with the order of the calls', (_id, score) => {
  fc.assert(
    fc.property(shuffled, calls, ([called, other], expected) => {
      expect(score(other, expected).score).toBeCloseTo(score(called, expected).score!, 9);
      expect(score(expected, other).score).toBeCloseTo(score(expected, called).score!, 9);
    }),
  );
});

test.each(every.filter(([id]) => !id.includes('fuzzy')))('identical calls score 1: %s', (id, score) => {
  // DeepEval treats equal calls as one, and Ragas F1 gives 0 if nothing is expected and nothing is called.
  const list = fc.uniqueArray(call, {
    minLength: id.startsWith('ragas') ? 1 : 0,
    maxLength: 5,
    selector: (one) => (id.startsWith('deepeval') ? one.name : JSON.stringify(one)),
  });
  fc.assert(
    fc.property(list, (same) => {
      expect(score(structuredClone(same), same).score).toBe(1);
    }),
  );
});

test('only a passing reply has the error type "none"', () => {
  const chainOf = { prompt: 'p', multi_turn: true, expected_tool: 'f', optimal_hops: 2, valid_prerequisites: ['g'] };
  fc.assert(
    fc.property(calls, calls, args, fc.constantFrom(0.3, 0.7, 1), (called, expected, params, pass_threshold) => {
      const one = scoreMetric(
        'toolmark.single_turn',
        { pass_threshold },
        {
          case: { expected_calls: expected.map((call) => ({ tool: call.name, params: call.arguments })) },
          tools,
          reply: reply(called),
        },
      );
      const chain = scoreMetric(
        'toolmark.multi_turn',
        { pass_threshold },
        {
          case: { ...chainOf, expected_params: params },
          tools,
          rounds: [...called.map((call) => [call]), []].map((made) => ({ reply: reply(made) })),
        },
      );
      for (const { passed, error_type } of [one, chain]) expect(passed || error_type !== 'none').toBe(true);
    }),
  );
});

test('an extra wrong call never raises precision or F1', () => {
  const extra = fc.record({ name: fc.constant('unasked'), arguments: args });
  const f1s: Scorer[] = [
    named('ragas_tool_call_f1'),
    named('axion_tool_correctness', { scoring: 'f1' }),
    named('axion_tool_correctness', { scoring: 'precision' }),
    (called, expected) =>
      expected.length
        ? scoreMetric('promptfoo_tool_call_f1', {}, { output: called, expected: expected.map((one) => one.name) })
        : { score: 0 },
    ...(['precision', 'f1'] as const).map((field): Scorer => (called, expected) => ({
      score: (house(called, expected).evidence as Record<string, number | null>)[field] ?? null,
    })),
  ];
  fc.assert(
    fc.property(calls, calls, extra, fc.nat(5), (called, expected, wrong, at) => {
      const more = called.toSpliced(at, 0, wrong);
      for (const score of f1s)
        expect(score(more, expected).score ?? 0).toBeLessThanOrEqual(score(called, expected).score ?? 1);
    }),
  );
});

describe('pairs of calls', () => {
  const matrix = (longest: number) =>
    fc.tuple(fc.integer({ min: 1, max: longest }), fc.integer({ min: 1, max: longest })).chain(([rows, columns]) => {
      const row = fc.array(fc.constantFrom(0, 0.6, 0.7, 0.8, 0.9, 1), { minLength: columns, maxLength: columns });
      return fc.array(row, { minLength: rows, maxLength: rows });
    });
  const total = (weights: number[][], pairs: CallPairs) =>
    pairs.reduce((sum, { expected, called }) => sum + weights[expected]![called]!, 0);
  const isMatching = (pairs: CallPairs) =>
    new Set(pairs.map((p) => p.expected)).size === pairs.length &&
    new Set(pairs.map((p) => p.called)).size === pairs.length;
  const best = (weights: number[][], row: number, taken: number, inOrder: boolean): number => {
    if (row === weights.length) return 0;
    let most = best(weights, row + 1, taken, inOrder);
    weights[row]!.forEach((weight, column) => {
      const free = inOrder ? 1 << column > taken : !(taken & (1 << column));
      if (weight > 0 && free)
        most = Math.max(most, weight + best(weights, row + 1, inOrder ? 1 << column : taken | (1 << column), inOrder));
    });
    return most;
  };
  test('have the largest possible total weight', () => {
    fc.assert(
      fc.property(matrix(5), (weights) => {
        const [any, ordered] = [pairInAnyOrder(weights), pairInOrder(weights)];
        expect(isMatching(any) && isMatching(ordered)).toBe(true);
        expect(total(weights, any)).toBeCloseTo(best(weights, 0, 0, false), 6);
        expect(total(weights, ordered)).toBeCloseTo(best(weights, 0, 0, true), 6);
      }),
    );
  });
  test('never weigh less than a greedy pairing', () => {
    fc.assert(
      fc.property(matrix(12), (weights) => {
        const taken = new Set<number>();
        let greedy = 0;
        for (const row of weights) {
          const left = row
            .map((weight, column) => ({ weight, column }))
            .filter(({ column }) => !taken.has(column))
            .sort((a, b) => b.weight - a.weight)[0];
          if (!left?.weight) continue;
          taken.add(left.column);
          greedy += left.weight;
        }
        expect(total(weights, pairInAnyOrder(weights))).toBeGreaterThanOrEqual(greedy - 1e-9);
      }),
    );
  });
  test('of equal weight prefer the first calls', () => {
    expect(
      pairInAnyOrder([
        [1, 1, 1],
        [1, 1, 1],
      ])
        .map((pair) => pair.called)
        .sort(),
    ).toEqual([0, 1]);
    expect(
      pairInAnyOrder([
        [0.6, 1],
        [1, 0.6],
        [1, 1],
      ])
        .map((pair) => pair.called)
        .sort(),
    ).toEqual([0, 1]);
  });
});

test('the similarity of a value with itself is 1, unless it is null; of two texts it stays within 0 and 1', () => {
  fc.assert(
    fc.property(
      value,
      (one) => similarityOf(one, one) === (one === null ? 0 : 1) || JSON.stringify(one).includes('null'),
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const ratio = sequenceRatio(a, b);
      return ratio >= 0 && ratio <= 1 && sequenceRatio(a, a) === 1;
    }),
  );
});
