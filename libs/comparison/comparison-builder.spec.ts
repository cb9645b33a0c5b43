import { note } from '#lib/contracts/note';
import { Comparison } from '#lib/contracts/comparison';
import { holm } from '#lib/scoring/statistics/holm';
import fc from '../../test/fast-check.js';
import { ComparisonBuilder, type ComparisonFrame, type Confusion } from './comparison-builder.js';
import type { CaseMeasurement, PairedCase, TargetPair } from './measurements.js';

const run = (id: string): ComparisonFrame['a'] => ({
  id,
  rescore_id: null,
  suite: { id: '019aa8a2-5c1e-7000-8000-000000000031', name: 'Weather', version: 1 },
  status: 'completed',
  targets: ['p::x', 'p::y'],
  unmatched: [],
  samples: 1,
  created_at: '2026-01-31T12:00:00.000Z',
});
const frame: ComparisonFrame = {
  a: run('019aa8a2-5c1e-7000-8000-000000000011'),
  b: run('019aa8a2-5c1e-7000-8000-000000000012'),
  what_changed: [{ path: '/temperature', a: 0, b: 1 }],
  notes: [note('other_suites', 'A note.')],
  cases: { common: 100, changed: 0, only_a: 0, only_b: 0 },
  measure: 'passed',
  margin: 0.02,
  maxErroredShare: 0.05,
  running: false,
};
const totals = { cost: { a: 0, b: null }, latency_p50_ms: { a: null, b: 12 } };

interface Added {
  pair: TargetPair;
  cases: PairedCase[];
  confusion?: Confusion[];
}
function comparisonOf(added: Added[], more: Partial<ComparisonFrame> = {}): Comparison {
  const builder = new ComparisonBuilder({ ...frame, ...more });
  for (const { pair, cases, confusion } of added) builder.addTargets(pair, cases, confusion ?? []);
  const made = builder.finish(totals);
  expect(Comparison.parse(made)).toEqual(made);
  return made;
}

const once = (passed: 0 | 1): CaseMeasurement => ({ scored: 1, errored: 0, passed, mean: passed, variance: null });
const errored: CaseMeasurement = { scored: 0, errored: 1, passed: 0, mean: null, variance: null };
const of = (n: number, fixed: number, broken: number): PairedCase[] =>
  Array.from({ length: n }, (_, index) => ({
    index,
    category: index % 2 ? 'odd' : null,
    tool: index % 4 ? 'search' : '(none)',
    cluster: null,
    a: once(index < fixed ? 0 : 1),
    b: once(index >= fixed && index < fixed + broken ? 0 : 1),
  }));
const [x, y] = [
  { a: 'p::x', b: 'p::x' },
  { a: 'p::y', b: 'p::y' },
];

it('of one pair equals the comparison of its target, and has a sentence', () => {
  const { all, targets, outcomes, ...rest } = comparisonOf([{ pair: x!, cases: of(100, 12, 3) }]);
  expect(targets).toEqual([expect.objectContaining({ a: 'p::x', b: 'p::x', estimate: all, p_holm: all.p, outcomes })]);
  expect(all).toMatchObject({
    verdict: 'improved',
    text: 'The new run is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  });
  expect(outcomes).toMatchObject({ fixed: 12, broken: 3, same_right: 85, same_wrong: 0 });
  expect(rest).toMatchObject({
    ...totals,
    what_changed: frame.what_changed,
    notes: ['A note.'],
    note_details: frame.notes,
  });
});

it('of all pairs is the mean, case by case, over pairs measured on both sides', () => {
  const second = of(10, 0, 0).map((one) => (one.index < 4 ? { ...one, b: errored } : { ...one, a: once(0) }));
  const { all, cases } = comparisonOf(
    [
      { pair: x!, cases: of(10, 10, 0).map((one) => (one.index === 0 ? { ...one, a: errored } : one)) },
      { pair: y!, cases: second.map((one) => (one.index > 7 ? { ...one, a: once(1) } : one)) },
    ],
    { maxErroredShare: 1 },
  );
  // Case 0 has no score on both sides; cases 1 to 3 have one pair (+1), 4 to 7 two (+1, +1), 8 and 9 two (+1, 0).
  expect(all).toMatchObject({ n_cases: 9, difference: expect.closeTo((3 + 4 + 1) / 9) as number });
  expect(all.text).toContain('9 cases, 2 targets');
  expect(cases.dropped_errored).toBe(1);
});

it('corrects the targets for their number, but not the comparison over all of them', () => {
  const { all, targets } = comparisonOf([
    { pair: x!, cases: of(100, 12, 3) },
    { pair: y!, cases: of(100, 3, 3) },
  ]);
  expect(targets.map((target) => target.p_holm)).toEqual(holm(targets.map((target) => target.estimate.p!)));
  expect(targets[0]!.estimate).toMatchObject({
    verdict: 'inconclusive',
    ci: [expect.closeTo(0.0096, 4), expect.anything()],
  });
  expect(targets[0]!.estimate.text).toMatch(/^With x, .* one of 2 targets may do so by chance/);
  expect(all.verdict).toBe('inconclusive');
  expect(comparisonOf([{ pair: x!, cases: of(100, 12, 3) }]).all.verdict).toBe('improved');
});

describe("McNemar's test and Newcombe's interval", () => {
  const firstOf = (cases: PairedCase[], more: Partial<ComparisonFrame> = {}) =>
    comparisonOf([{ pair: x!, cases }], more).targets[0]!;

  it('accompany pass and fail with one sample per case', () => {
    expect(firstOf(of(100, 9, 1)).mcnemar).toEqual({
      fixed: 9,
      broken: 1,
      p_exact: expect.closeTo(22 / 1024, 12),
      p_mid: expect.closeTo(12 / 1024, 12),
    });
    // newcombe_paired-003 of libs/scoring/vectors/statistics.jsonl
    expect(firstOf(of(50, 2, 12)).newcombe).toEqual([expect.closeTo(-0.3404276, 7), expect.closeTo(-0.056929584, 7)]);
    expect(firstOf(of(5, 0, 0)).mcnemar).toEqual({ fixed: 0, broken: 0, p_exact: 1, p_mid: 1 });
  });

  it.each<[string, PairedCase[], Partial<ComparisonFrame>]>([
    ['of scores', of(100, 9, 1), { measure: 'overall' }],
    [
      'of several samples',
      of(100, 9, 1).map((one) => ({ ...one, b: { ...one.b, scored: 2, passed: 2, mean: 1 } })),
      {},
    ],
    ['of clusters', of(100, 9, 1).map((one) => ({ ...one, cluster: 'c' })), {}],
    ['of nothing', [], {}],
  ])('are not made %s', (_what, cases, more) => {
    expect(firstOf(cases, more)).toMatchObject({ mcnemar: null, newcombe: null });
  });
});

it('lists only the categories with the most cases when there are too many, and says so', () => {
  const cases = of(1200, 60, 0).map((one, n) => ({ ...one, category: n < 20 ? `big ${n % 10}` : `small ${n}` }));
  const { all, categories, notes } = comparisonOf([{ pair: x!, cases }]);
  expect(all.n_cases).toBe(1200);
  expect(categories).toHaveLength(500);
  expect(categories.slice(0, 10).map(({ category }) => category)).toEqual([...'0123456789'].map((n) => `big ${n}`));
  expect(notes).toContainEqual(expect.stringMatching(/^The 500 of 1190 categories with the most cases are listed/));
});

it('shows categories and expected tools with intervals and without verdicts', () => {
  const { categories, tools } = comparisonOf([{ pair: x!, cases: of(100, 60, 0) }]);
  expect(categories.map(({ category }) => category)).toEqual(['odd']);
  expect(tools.map(({ tool, estimate }) => [tool, estimate.n_cases])).toEqual([
    ['(none)', 25],
    ['search', 75],
  ]);
  for (const { estimate } of [...categories, ...tools]) {
    expect(estimate).toMatchObject({ verdict: null, text: null, reasons: [], small: false, robust: false });
    expect(estimate.ci![0]).toBeGreaterThan(0);
  }
});

it('lists the 200 most frequent confusions, summed over the pairs', () => {
  const confusion = Array.from({ length: 250 }, (_, index) => ({ expected: 'f', called: `t${index}`, a: 0, b: index }));
  const made = comparisonOf([
    { pair: x!, cases: [], confusion },
    { pair: y!, cases: [], confusion: [{ expected: 'f', called: 't3', a: 1000, b: 1 }] },
  ]);
  expect(made.confusion).toHaveLength(200);
  expect(made.confusion.slice(0, 2)).toEqual([
    { expected: 'f', called: 't3', a: 1000, b: 4 },
    { expected: 'f', called: 't249', a: 0, b: 249 },
  ]);
});

it('notes that errored results could overturn the verdict', () => {
  const cases = of(100, 20, 3).map((one) => (one.index > 79 ? { ...one, b: errored } : one));
  const { notes, b } = comparisonOf([{ pair: x!, cases }], { maxErroredShare: 1 });
  expect(b.errored_share).toBe(0.2);
  expect(notes).toEqual([
    'A note.',
    'Errored results could overturn the verdict: had they all been right or wrong, the difference would lie anywhere ' +
      'from -3 to 17 points. Resume the runs to repeat them.',
  ]);
});

it.each<[string, Added[], Partial<ComparisonFrame>, string]>([
  ['no pairs of targets', [], {}, 'no_common_targets'],
  ['no common cases', [{ pair: x!, cases: [] }], {}, 'too_few_cases'],
  ['neither', [], { cases: { ...frame.cases, common: 0 } }, 'too_few_cases'],
  ['a run in progress', [{ pair: x!, cases: of(100, 50, 0) }], { running: true }, 'running'],
  ['a run in progress, and no results', [], { running: true }, 'running'],
])('has no verdict with %s', (_what, added, more, reason) => {
  const { all, targets } = comparisonOf(added, more);
  for (const estimate of [all, ...targets.map((target) => target.estimate)])
    expect(estimate).toMatchObject({ verdict: 'not_comparable', reasons: [reason] });
});

const anySide = fc
  .record({ scored: fc.nat(2), errored: fc.nat(1), mean: fc.constantFrom(0, 0.3, 1), passed: fc.nat(2) })
  .map(({ scored, errored: errors, mean, passed }) => ({
    scored,
    errored: errors,
    passed: Math.min(scored, passed),
    mean: scored ? mean : null,
    variance: scored > 1 ? 0.1 : null,
  }));
const anyCases = fc
  .array(
    fc.record({ a: anySide, b: anySide, category: fc.constantFrom(null, 'c', 'd'), tool: fc.constantFrom('f', 'g') }),
    {
      minLength: 12,
      maxLength: 12,
    },
  )
  .map((cases) => cases.map((one, index) => ({ ...one, index, cluster: null })));

it('is mirrored when the runs are swapped', () => {
  const figuresOf = (made: Comparison) => {
    const { all, targets, categories, tools } = made;
    const estimates = [all, ...targets, ...categories, ...tools].map((one) => ('estimate' in one ? one.estimate : one));
    return estimates.map(({ difference, ci, p, se, n_cases, verdict }) => ({
      difference,
      ci,
      p,
      se,
      n_cases,
      verdict,
    }));
  };
  const opposite: Record<string, 'improved' | 'regressed'> = { improved: 'regressed', regressed: 'improved' };
  fc.assert(
    fc.property(anyCases, anyCases, (one, other) => {
      const swapped = (cases: PairedCase[]) => cases.map(({ a, b, ...rest }) => ({ ...rest, a: b, b: a }));
      const there = comparisonOf(
        [
          { pair: x!, cases: one },
          { pair: y!, cases: other },
        ],
        { maxErroredShare: 1 },
      );
      const back = comparisonOf(
        [
          { pair: x!, cases: swapped(one) },
          { pair: y!, cases: swapped(other) },
        ],
        { maxErroredShare: 1 },
      );
      expect(figuresOf(back)).toEqual(
        figuresOf(there).map(({ difference, ci, verdict, ...same }) => ({
          ...same,
          difference: difference === null ? null : 0 - difference,
          ci: ci && [0 - ci[1], 0 - ci[0]],
          verdict: verdict && (opposite[verdict] ?? verdict),
        })),
      );
      expect([back.outcomes.fixed, back.outcomes.better]).toEqual([there.outcomes.broken, there.outcomes.worse]);
      expect(back.targets.map((target) => target.p_holm)).toEqual(there.targets.map((target) => target.p_holm));
    }),
  );
});
