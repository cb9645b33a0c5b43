import type { Judged } from './contract.js';
import { agreementOf, isOk } from './conclude.js';
import { figuresOf } from './figures.js';

const row = (casePosition: number, verdict: string | null, passed: boolean, more: Partial<Judged> = {}): Judged => ({
  target: 'sim::a',
  other: null,
  casePosition,
  state: verdict === null ? 'errored' : 'judged',
  verdict,
  passed,
  agreement: verdict === null || verdict === 'win' ? null : agreementOf(verdict as 'wrong', passed),
  expectationAtFault: false,
  suspicious: false,
  flipped: false,
  ...more,
});

describe('the figures of a report', () => {
  it('count each case once, however many samples it has', () => {
    const rows = [...Array.from({ length: 9 }, () => row(0, 'wrong', false)), row(1, 'correct', true)];
    expect(figuresOf(rows)).toMatchObject({ items: 10, judged: 10, share_ok: 0.5 });
  });

  it('leave out errored results and those that the judge could not tell', () => {
    const figures = figuresOf([row(0, 'correct', true), row(1, null, false), row(2, 'cannot_tell', false)]);
    expect(figures).toMatchObject({ items: 3, judged: 2, errored: 1, share_ok: 1 });
    expect(figures.targets[0]).toMatchObject({ counts: { correct: 1, acceptable: 0, wrong: 0, cannot_tell: 1 } });
  });

  it('have an interval of nonzero width even if all results are equal', () => {
    const [low, high] = figuresOf(Array.from({ length: 20 }, (_, n) => row(n, 'correct', true))).share_ok_ci!;
    expect([low.toFixed(3), high]).toEqual(['0.860', 1]);
  });

  it('have no kappa if chance alone always agrees, and no figure is NaN', () => {
    expect(figuresOf(Array.from({ length: 5 }, (_, n) => row(n, 'wrong', false)))).toMatchObject({
      share_ok: 0,
      kappa: null,
      kappa_ci: null,
    });
    expect(figuresOf([])).toEqual({
      items: 0,
      judged: 0,
      errored: 0,
      share_ok: null,
      share_ok_ci: null,
      kappa: null,
      kappa_ci: null,
      targets: [],
      pairs: [],
    });
  });

  it('have kappa against pass and fail: 40 of 50 agree, half of them expected by chance', () => {
    const verdicts = [...rows(20, 'correct', true), ...rows(5, 'wrong', true), ...rows(5, 'correct', false)];
    const figures = figuresOf(
      [...verdicts, ...rows(20, 'wrong', false)].map((one, n) => ({ ...one, casePosition: n })),
    );
    expect(figures.kappa).toBeCloseTo(0.6, 12);
    expect(figures.targets[0]).toMatchObject({ kinder: 5, stricter: 5 });

    function rows(n: number, verdict: string, passed: boolean): Judged[] {
      expect(isOk(verdict)).toBe(verdict === 'correct');
      return Array.from({ length: n }, () => row(0, verdict, passed));
    }
  });
});

describe('the figures of a comparison', () => {
  const pair = (verdict: string, n: number, flipped = false): Judged[] =>
    Array.from({ length: n }, (_, at) => row(at, verdict, true, { other: 'sim::b', agreement: null, flipped }));

  it.each([
    [20, 2, 8, 0, 'prefers sim::a to sim::b'],
    [2, 20, 8, 0, 'prefers sim::b to sim::a'],
    [6, 5, 8, 0, 'It is undecided'],
    [0, 0, 8, 0, 'prefers neither'],
    [20, 2, 0, 8, 'cannot tell'],
  ])('%s wins, %s losses, %s ties and %s flips: %s', (wins, losses, ties, flips, words) => {
    const rows = [...pair('win', wins), ...pair('loss', losses), ...pair('tie', ties), ...pair('tie', flips, true)];
    const { pairs, targets, share_ok } = figuresOf(rows);
    expect({ targets, share_ok }).toEqual({ targets: [], share_ok: null });
    expect(pairs[0]).toMatchObject({
      a: 'sim::b',
      b: 'sim::a',
      wins,
      losses,
      ties: ties + flips,
      position_flips: flips,
    });
    expect(pairs[0]!.text).toContain(words);
  });
});
