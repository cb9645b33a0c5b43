import { sumsOf } from '#lib/comparison/estimate';
import { measureDifference } from '#lib/comparison/figures';
import type { CaseMeasurement, PairedCase } from '#lib/comparison/measurements';
import { countOutcomes } from '#lib/comparison/outcomes';
import { decidePair, sumUp, type GatePair, type PairRules } from './measure-target.js';

/** `passed` of `scored` samples passed. */
const passes = (passed: number, scored = 1, errored = 0): CaseMeasurement => ({
  scored,
  errored,
  passed,
  mean: scored === 0 ? null : passed / scored,
  variance: scored < 2 ? null : (passed * (scored - passed)) / (scored * (scored - 1)),
});
type Sides = [a: CaseMeasurement, b: CaseMeasurement];
const times = (n: number, ...sides: Sides): Sides[] => Array<Sides>(n).fill(sides);
const [right, wrong] = [passes(1), passes(0)];

type More = Partial<Omit<PairRules, 'level'> & PairRules['level'] & GatePair & { lastLook: number }>;
function decide(sides: Sides[], more: More = {}) {
  const { lastLook = 8, family = 1, measure = 'passed', amongOthers = family > 1 } = more;
  const { margin = 0.02, floor = null, max_errored_share = 0.05, alpha = 0.05 } = more;
  const cases = sides.map(([a, b], index): PairedCase => ({ index, category: null, tool: 't', cluster: null, a, b }));
  const read = {
    pair: { a: 'sim::gpt-x', b: 'sim::gpt-x' },
    cases,
    passes: cases.map(({ b }) => b),
    byMetric: new Map(),
    figures: measureDifference(cases.map(sumsOf)),
    outcomes: countOutcomes(cases),
    critical: [],
    cost: { a: null, b: null },
    drift: [],
    ...more,
  };
  const level = { margin, floor, max_errored_share, alpha };
  const summed = sumUp(read, level, lastLook);
  const pHolm = more.pHolm ?? summed.figures.p;
  return decidePair(summed, { level, measure, family, amongOthers, pHolm });
}
const textOf = (sides: Sides[], more?: More): string => decide(sides, more).target.text;

describe('the answer of a gate about a target', () => {
  it('says that it passes, by how much it may differ, and at which level', () => {
    expect(textOf([...times(6, right, wrong), ...times(394, right, right)], { alpha: 0.016, margin: 0.05 })).toBe(
      'The new run is not worse by 5 points or more: the difference is -1.5 points (98.4 %: -3.2 to 0.2; 400 cases): ' +
        'none fixed, 6 broken.',
    );
    expect(textOf([...times(12, wrong, right), ...times(88, right, right)])).toMatch(
      /^The new run is better: the diff/,
    );
    expect(textOf([...times(30, right, wrong), ...times(10, wrong, right), ...times(1960, right, right)])).toBe(
      'The new run is worse, but by less than 2 points: the difference is -1 point (95 %: -1.6 to -0.4; 2,000 ' +
        'cases): 10 fixed, 30 broken.',
    );
  });

  it('says that it is worse, and which model if there are several', () => {
    expect(textOf([...times(20, right, wrong), ...times(80, right, right)], { family: 2 })).toBe(
      'With gpt-x, the new run is worse: the difference is -20 points (95 %: -28 to -11; 100 cases): none fixed, 20 ' +
        'broken.',
    );
  });

  it('says that the data cannot tell, and names the metric', () => {
    const sides = [...times(5, right, wrong), ...times(95, right, right)];
    expect(textOf(sides, { measure: 'f1' })).toBe(
      'This data cannot tell whether the new run is worse by 2 points or more: the difference is -5 points of f1 ' +
        '(95 %: -10 to 0.2; 100 cases): none fixed, 5 broken.',
    );
    expect(textOf(sides, { margin: 0 })).toMatch(/^This data cannot tell whether the new run is better: /);
    expect(textOf([...times(9, right, wrong), ...times(91, right, right)], { family: 9, pHolm: 0.071 })).toMatch(
      / That interval lies below 0, but one of 9 models may do so by chance: corrected for their number, p is 0.071\.$/,
    );
  });

  it('says which floor of a figure of conversations is missed, over the cases that it applies to', () => {
    const half = (mean: number): CaseMeasurement => ({ ...passes(1), mean });
    const measured = [...Array<CaseMeasurement>(30).fill(half(0.5)), ...Array<CaseMeasurement>(30).fill(passes(0, 0))];
    const floor = { metrics: { 'conversation.calls': 0.1, 'conversation.state': 0.9 } };
    const byMetric = new Map([
      ['conversation.calls', Array<CaseMeasurement>(60).fill(half(1))],
      ['conversation.state', measured],
    ]);
    const { target } = decide(times(60, right, right), { floor, byMetric });
    expect(target).toMatchObject({
      result: 'fail',
      reason: 'floor',
      floors: [{ mean: 1 }, { mean: 0.5, minimum: 0.9 }],
    });
    expect(target.text).toMatch(
      /^The "conversation\.state" of the new run is 50 % \(95 %: .*\), below the floor of 90 %\.$/,
    );
    const without = decide(times(60, right, right), { floor: { metrics: { f1: 0.5 } } }).target;
    expect(without).toMatchObject({ result: 'inconclusive', reason: 'floor_undecided' });
    expect(without.text).toBe('"f1" applies to no case of the new run, so its floor of 50 % is not reached.');
  });

  it('says where the floor is', () => {
    const sides = [...times(20, wrong, wrong), ...times(80, right, right)];
    expect(textOf(sides, { floor: { pass_rate: 0.9 } })).toBe(
      'The pass rate of the new run is 80 % (95 %: 71.1 % to 86.7 %), below the floor of 90 %.',
    );
    expect(textOf(sides, { floor: { pass_rate: 0.85 } })).toMatch(
      /^This data cannot tell whether the new run reaches the floor of 85 %: its pass rate is 80 % \(95 %: 71\.1 % to/,
    );
  });

  it('says which critical cases broke, three by name', () => {
    const one = (position: number, confirmed: boolean) => ({
      case_id: `id-${position}`,
      case_name: position === 1 ? null : `case ${position}`,
      position,
      samples: [3, 3] as [number, number],
      confirmed,
    });
    const sides = times(50, right, right);
    expect(textOf(sides, { critical: [one(0, true), one(1, false)] })).toBe(
      'The new run breaks a critical case: "case 0". It always passed in the baseline and never does now.',
    );
    expect(textOf(sides, { critical: [0, 1, 2, 3].map((position) => one(position, false)) })).toBe(
      'The new run may break 4 critical cases: "case 0", "id-1", "case 2", .... They always passed in the baseline ' +
        'and did not pass now; fewer than 3 samples on a side do not confirm that.',
    );
  });

  it('says why there is nothing to decide on', () => {
    const errored = passes(0, 0, 1);
    expect(textOf(times(50, right, errored))).toMatch(/^Not comparable: none of the 50 cases in common has a score/);
    expect(textOf(times(4, right, right))).toMatch(/^Not comparable: the runs have 4 cases in common, and a verdict/);
    expect(textOf([...times(10, right, errored), ...times(90, right, right)])).toMatch(
      /^No verdict: 10 % of the results of the new run errored, above the limit of 5 %\./,
    );
  });
});

it('counts errors of the run among cases that the baseline lacks', () => {
  const { target } = decide(times(50, right, right), {
    passes: [...Array(50).fill(right), ...Array(5).fill(passes(0, 0, 1))],
  });
  expect(target).toMatchObject({ reason: 'errored', errored_shares: [0, 5 / 55] });
});

it('gives the pass rate over the cases, not the samples, with the interval of the level', () => {
  const sides = [...times(40, right, passes(1)), ...times(10, right, passes(0, 9))];
  const { target } = decide(sides);
  expect(target.pass_rate).toBe(0.8);
  expect(target.pass_rate_ci![0]).toBeCloseTo(0.6737, 4);
  const wider = decide(sides, { alpha: 0.016 }).target;
  expect(wider.pass_rate_ci![0]).toBeLessThan(target.pass_rate_ci![0]);
  expect(wider.ci![0]).toBeLessThan(target.ci![0]);
  expect(wider.p).toBe(target.p);
});

describe('further samples', () => {
  const flips = passes(1, 2);
  const steady = passes(2, 2);
  /** The difference varies only within cases. */
  const noisy = [...times(30, flips, steady), ...times(30, steady, flips), ...times(140, steady, steady)];
  /** The same number of cases differ, consistently. */
  const firm = [...times(15, passes(0, 2), steady), ...times(15, steady, passes(0, 2)), ...times(170, steady, steady)];

  it('can decide where only they vary, and cannot where the cases do', () => {
    expect(decide(noisy)).toMatchObject({
      target: { reason: 'undecided', cases_needed: null },
      prospect: { canPass: true, canFail: false },
    });
    const { target, prospect } = decide(firm);
    expect(prospect).toMatchObject({ canPass: false, canFail: false });
    expect(target.cases_needed).toBeGreaterThan(500);
    expect(target.text).toMatch(/ More samples cannot decide; about \d+ more cases could\.$/);
  });

  it('are not added after the last look', () => {
    const { target, prospect } = decide(noisy, { lastLook: 2 });
    expect(prospect).toMatchObject({ canPass: false, canFail: false });
    expect(target.cases_needed).toBeGreaterThan(0);
  });

  it('may decide while one sample per case reveals no variance', () => {
    expect(decide(times(50, right, right)).prospect).toEqual({ canPass: true, canFail: true, casesNeeded: null });
    expect(decide(times(50, right, right), { lastLook: 1 }).prospect).toMatchObject({ canPass: false, canFail: false });
  });

  it('can fail a target that leans that way', () => {
    const leaning = [...times(40, steady, flips), ...times(28, flips, steady), ...times(32, steady, steady)];
    expect(decide(leaning)).toMatchObject({
      target: { reason: 'undecided' },
      prospect: { canPass: false, canFail: true },
    });
  });

  it('cannot decide where replies never vary, nor can more cases exactly at the margin', () => {
    const { target } = decide(times(50, steady, steady));
    expect(target).toMatchObject({ reason: 'undecided', cases_needed: expect.any(Number) });
    expect(decide(times(50, steady, steady), { margin: 0 }).target.cases_needed).toBeNull();
  });

  it('can show that a floor is reached only where replies vary', () => {
    const floor = { pass_rate: 0.7 };
    const varying = times(60, steady, passes(3, 4));
    expect(decide(varying, { floor: { pass_rate: 0.72 }, lastLook: 64 })).toMatchObject({
      target: { reason: 'floor_undecided' },
      prospect: { canPass: true },
    });
    const fixed = [...times(45, steady, steady), ...times(15, steady, passes(0, 2))];
    const { target, prospect } = decide(fixed, { floor });
    expect(target.reason).toBe('floor_undecided');
    expect(prospect).toMatchObject({ canPass: false, canFail: false });
    expect(target.cases_needed).toBeGreaterThan(60);
  });

  it('may confirm a critical case', () => {
    const critical = [
      { case_id: 'id', case_name: null, position: 0, samples: [1, 1] as [number, number], confirmed: false },
    ];
    expect(decide(times(400, right, right), { critical }).prospect).toMatchObject({ canPass: true, canFail: true });
  });
});
