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
  [say(of(100, 12, 3)), 'gpt-y is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.'],
  [say(of(100, 3, 12)), 'gpt-y is worse by 9 points (95 %: 1 to 17; 100 cases): 3 fixed, 12 broken.'],
  [
    say(of(100, 12, 3), about([model])),
    'The new run is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
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
    'gpt-y is better by 9 points of bfcl_ast (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [
    say(of(100, 12, 3), about([{ a: 'openai::gpt-x', b: 'azure::gpt-x' }])),
    'azure::gpt-x is better by 9 points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [
    say(of(2000, 10, 30)),
    'gpt-y is worse, by less than 2 points: 1 point (95 %: 0.4 to 1.6; 2000 cases); 10 fixed, 30 broken.',
  ],
  [
    say(of(400, 3, 3)),
    'No difference larger than 2 points between gpt-y and gpt-x (90 %: -1.2 to 1.2; 400 cases): 3 fixed, 3 broken.',
  ],
  [
    say(of(400, 3, 3), about([model], true)),
    'With gpt-x, no difference larger than 2 points between the two runs (90 %: -1.2 to 1.2; 400 cases): 3 fixed, ' +
      '3 broken.',
  ],
  [
    say(of(100, 0, 5)),
    'This data is inconclusive: it could only show differences above 7 points. gpt-y minus gpt-x is -5 points (95 %: ' +
      `-10 to 0.2; 100 cases): none fixed, 5 broken. About 1300 cases would show 2 points; ${helps}`,
  ],
  [
    say(of(50, 0, 0), about([model])),
    'This data is inconclusive: it could only show differences above 8 points. The difference is 0 points (95 %: -6 ' +
      `to 6; 50 cases). About 770 cases would show 2 points; ${helps}`,
  ],
  [
    say(of(100, 0, 5), { margin: 0, ...about([model]) }),
    'This data is inconclusive: it could only show differences above 7 points. The difference is -5 points (95 %: ' +
      '-10 to 0.2; 100 cases): none fixed, 5 broken. With a margin of 0, nothing can be shown to be the same.',
  ],
  [
    say(of(100, 12, 3), { ...about([model], true), holm: { p: 0.0812, targets: 3 } }),
    'With gpt-x, this data is inconclusive: it could only show differences above 11 points. The difference is 9 ' +
      'points (95 %: 1 to 17; 100 cases): 12 fixed, 3 broken. That interval alone lies on one side of 0, but one of ' +
      '3 targets may do so by chance: corrected for their number, p is 0.081. About 3100 cases would show 2 points; ' +
      helps,
  ],
  [
    say(of(100, 12, 3).map((one) => (one.index < 10 ? { ...one, b: errored } : one))),
    'No verdict: 10 % of the results of gpt-y errored, above the limit of 5 %. Resume that run to repeat them. ' +
      'Without them, gpt-y minus gpt-x is -1 point (95 %: -7 to 5; 90 cases): 2 fixed, 3 broken.',
  ],
  [
    say(of(100, 12, 3), { obstacle: 'running', ...about([model]) }),
    'No verdict yet: a run is still in progress. Compare again when it has ended. So far, the difference is 9 points ' +
      '(95 %: 1 to 17; 100 cases): 12 fixed, 3 broken.',
  ],
  [say([], { obstacle: 'running' }), 'No verdict yet: a run is still in progress. Compare again when it has ended.'],
  [
    say([], { obstacle: 'no_common_targets' }),
    'Not comparable: the runs have no target in common. Name those to compare with pairs=<target of a>~<target of b>.',
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
    /100 cases in 50 groups\): 10 fixed, 3 broken. About \d+ groups would show 2 points/,
  );
});

describe('the sentence of an inconclusive comparison says what helps', () => {
  it('only cases, where the variance is between them', () => {
    expect(say(twice(100, 0.5, 0.1))).toContain(
      'About 5000 cases would show 2 points; more samples of these would not, because the cases vary too much.',
    );
  });

  it('cases or samples, where it is within them', () => {
    expect(say(twice(100, 0.1, 0.005, 0.01), { margin: 0.025 })).toMatch(
      /About 130 cases would show 2.5 points, and so would about 4 samples of each of these\.$/,
    );
  });

  it('nothing, where there are enough cases and the difference is near the margin', () => {
    const text = say(of(8000, 160, 0), { margin: 0.02, holm: { p: 0.06, targets: 2 } });
    expect(text).toMatch(/^This data is inconclusive/);
    expect(text).not.toContain('About');
  });
});
