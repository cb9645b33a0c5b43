import { estimateDifference, type EstimateOptions } from './estimate.js';
import type { CaseMeasurement, PairedCase } from './measurements.js';

const once = (score: number): CaseMeasurement => ({
  scored: 1,
  errored: 0,
  passed: Number(score === 1),
  mean: score,
  variance: null,
});
const errored: CaseMeasurement = { scored: 0, errored: 1, passed: 0, mean: null, variance: null };
const of = (n: number, fixed: number, broken: number): PairedCase[] =>
  Array.from({ length: n }, (_, index) => ({
    index,
    category: null,
    tool: 'search',
    cluster: null,
    a: once(index < fixed ? 0 : 1),
    b: once(index >= fixed && index < fixed + broken ? 0 : 1),
  }));
/** `n` cases of two samples, half of them better and half worse by `step`, and all shifted by `shift`. */
const twice = (n: number, step: number, variance: number, shift = 0): PairedCase[] =>
  of(n, 0, 0).map((one, index) => {
    const side = (mean: number): CaseMeasurement => ({ scored: 2, errored: 0, passed: 1, mean, variance });
    return { ...one, a: side(0.5), b: side(0.5 + shift + (index % 2 ? step : -step)) };
  });

const models = { a: 'openai::gpt-x', b: 'openai::gpt-y' };
const model = { a: 'openai::gpt-x', b: 'openai::gpt-x' };
const about = (pairs: { a: string; b: string }[], amongOthers = false) => ({ subject: { pairs, amongOthers } });
const say = (cases: PairedCase[], more: Partial<EstimateOptions> = {}): string =>
  estimateDifference(cases, { measure: 'overall', margin: 0.02, maxErroredShare: 0.05, ...about([models]), ...more })
    .text!;

const helps = 'more samples of each case help if replies to the same case vary.';

it.each<[string, string]>([
  [
    say(of(100, 12, 3)),
    'gpt-y is better than gpt-x by 9 points (95 %: 1 to 17; 100 cases): 12 passed by gpt-y alone, 3 by gpt-x alone.',
  ],
  [
    say(of(100, 3, 12)),
    'gpt-y is worse than gpt-x by 9 points (95 %: 1 to 17; 100 cases): 3 passed by gpt-y alone, 12 by gpt-x alone.',
  ],
  [
    say(of(100, 12, 3), about([model])),
    'The new run is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [
    say(of(100, 12, 3), { subject: { pairs: [model], amongOthers: false, sides: ['the base', 'it'] } }),
    'It is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [
    say(of(100, 12, 3), about([model], true)),
    'With gpt-x, the new run is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [
    say(of(100, 12, 3), about([model, models])),
    'The new run is better by 9 points (95 %: 1 to 17; 100 cases, 2 targets): 12 fixed, 3 broken.',
  ],
  [
    say(of(100, 12, 3), { measure: 'bfcl_ast' }),
    'gpt-y is better than gpt-x by 9 points of bfcl_ast (95 %: 1 to 17; 100 cases): 12 passed by gpt-y alone, 3 by ' +
      'gpt-x alone.',
  ],
  [
    say(of(100, 12, 3), about([{ a: 'openai::gpt-x', b: 'azure::gpt-x' }])),
    'azure::gpt-x is better than openai::gpt-x by 9 points (95 %: 1 to 17; 100 cases): 12 passed by azure::gpt-x ' +
      'alone, 3 by openai::gpt-x alone.',
  ],
  [
    say(of(2000, 10, 30)),
    'gpt-y is worse than gpt-x, by less than 2 points: 1 point (95 %: 0.4 to 1.6; 2,000 cases); 10 passed by gpt-y ' +
      'alone, 30 by gpt-x alone.',
  ],
  [
    say(of(400, 3, 3)),
    'No difference larger than 2 points between gpt-y and gpt-x (90 %: -1.2 to 1.2; 400 cases): 3 passed by gpt-y ' +
      'alone, 3 by gpt-x alone.',
  ],
  [
    say(of(400, 3, 3), about([model], true)),
    'With gpt-x, no difference larger than 2 points between the two runs (90 %: -1.2 to 1.2; 400 cases): 3 fixed, ' +
      '3 broken.',
  ],
  [
    say(of(100, 0, 5)),
    'Too close to call. gpt-y is 5 points below gpt-x (95 %: -10 to 0.2; 100 cases): none passed by gpt-y alone, 5 ' +
      'by gpt-x alone. With 100 cases, only a gap of 7 points would be visible. About 1,300 cases would show 2 ' +
      `points; ${helps}`,
  ],
  [
    say(of(50, 0, 0), about([model])),
    'Too close to call. The new run and the baseline score the same (95 %: -6 to 6; 50 cases). With 50 cases, only a ' +
      `gap of 8 points would be visible. About 770 cases would show 2 points; ${helps}`,
  ],
  [
    say(of(100, 0, 5), { margin: 0, ...about([model]) }),
    'Too close to call. The new run is 5 points below the baseline (95 %: -10 to 0.2; 100 cases): none fixed, 5 ' +
      'broken. With 100 cases, only a gap of 7 points would be visible. With a margin of 0, nothing can be shown to ' +
      'be the same.',
  ],
  [
    say(of(100, 12, 3), { ...about([model], true), holm: { p: 0.0812, targets: 3 } }),
    'With gpt-x, it is too close to call. The new run is 9 points above the baseline (95 %: 1 to 17; 100 cases): 12 ' +
      'fixed, 3 broken. With 100 cases, only a gap of 11 points would be visible. That interval alone lies on one ' +
      'side of 0, but one of 3 targets may do so by chance: corrected for their number, p is 0.081. About 3,100 ' +
      `cases would show 2 points; ${helps}`,
  ],
  [
    say(of(100, 12, 3).map((one) => (one.index < 10 ? { ...one, b: errored } : one))),
    'No verdict: 10 % of the results of gpt-y errored, above the limit of 5 %. Resume that run to repeat them. ' +
      'Without them, gpt-y minus gpt-x is -1 point (95 %: -7 to 5; 90 cases): 2 passed by gpt-y alone, 3 by ' +
      'gpt-x alone.',
  ],
  [
    say(of(100, 12, 3), { obstacle: 'running', ...about([model]) }),
    'No verdict yet: a run is still in progress. Compare again when it has ended. So far, the difference is 9 points ' +
      '(95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [say([], { obstacle: 'running' }), 'No verdict yet: a run is still in progress. Compare again when it has ended.'],
  [
    say([], { obstacle: 'no_common_targets' }),
    'Not comparable: the runs have no model in common. Choose a model of each.',
  ],
  [
    say(of(1, 0, 0)),
    'Not comparable: the runs have 1 case in common, and a verdict needs 5. Run both over the same cases.',
  ],
  [say([]), 'Not comparable: the runs have no case in common, and a verdict needs 5. Run both over the same cases.'],
  [
    say(of(9, 0, 0).map((one) => ({ ...one, b: errored }))),
    'Not comparable: none of the 9 cases in common has a score on both sides. Resume the run whose results errored, ' +
      'or compare a measure that both runs have.',
  ],
  [
    say(of(9, 0, 0).map((one) => (one.index ? { ...one, b: errored } : one))),
    'Not comparable: of 9 cases in common, only 1 have a score on both sides, and a verdict needs 5. Resume the run ' +
      'whose results errored.',
  ],
])('%s', (said, sentence) => expect(said).toBe(sentence));

it('counts groups where groups are the unit', () => {
  const grouped = (groups: number): PairedCase[] =>
    of(100, 10, 3).map((one) => ({ ...one, cluster: `group ${one.index % groups}` }));
  expect(say(grouped(3))).toMatch(/^Not comparable: the runs have 3 groups in common/);
  expect(say(grouped(50))).toMatch(
    /100 cases in 50 groups\): 10 passed by gpt-y alone.* With 50 groups, .* About 1,400 groups would show 2 points/,
  );
});

describe('the sentence of an inconclusive comparison says what helps', () => {
  it('only cases, where the variance is between them', () => {
    expect(say(twice(100, 0.5, 0.1))).toContain(
      'About 5,000 cases would show 2 points; more samples of these would not, because the cases vary too much.',
    );
  });

  it('cases or samples, where it is within them', () => {
    expect(say(twice(100, 0.1, 0.005, 0.01), { margin: 0.025 })).toMatch(
      /About 130 cases would show 2.5 points, and so would about 4 samples of each of these\.$/,
    );
  });

  it('nothing, where there are enough cases and the difference is near the margin', () => {
    const text = say(of(8000, 160, 0), { margin: 0.02, holm: { p: 0.06, targets: 2 } });
    expect(text).toMatch(/^Too close to call\./);
    expect(text).not.toContain('About');
  });
});
