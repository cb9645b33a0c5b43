import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { estimateDifference } from './estimate.js';
import type { CaseMeasurement, PairedCase } from './measurements.js';

/*
 * Equal systems: 100 pairs of models with the same skill and independent luck. Their seeds are fixed, so the figures
 * are reproducible. The general properties of the statistics are in docs/scoring.md; one pair that is compared end to
 * end is in test/long/false-alarms.e2e.spec.ts.
 */
const PAIRS = 100;
const CASES = 40;
const SKILL = 0.7;
/** 5 % of the pairs plus three standard errors. */
const MOST_FALSE_ALARMS = 11;

const MEASURES: Record<string, (right: boolean, inPart: boolean) => number> = {
  overall: (right, inPart) => (right ? 1 : inPart ? 0.6 : 0),
  passed: Number,
};

it.each(Object.keys(MEASURES))('of 100 pairs of equal models, at most 11 are called different by %s', (measure) => {
  const verdicts: Record<string, number> = {};
  for (let pair = 0; pair < PAIRS; pair++) {
    const [a, b] = [seededRandom(2 * pair + 1), seededRandom(2 * pair + 2)];
    const cases = Array.from({ length: CASES }, (_, index): PairedCase => ({
      ...{ index, category: null, tool: 'get_weather', cluster: null },
      a: answered(measure, a),
      b: answered(measure, b),
    }));
    const {
      verdict,
      n_cases: compared,
      mean_a: mean,
    } = estimateDifference(cases, {
      ...{ measure, margin: 0.02, maxErroredShare: 0.05 },
      subject: { pairs: [{ a: 'equal::a', b: 'equal::b' }], amongOthers: false },
    });
    expect(compared).toBe(CASES);
    expect(mean).toBeLessThan(1);
    verdicts[verdict!] = (verdicts[verdict!] ?? 0) + 1;
  }
  const { improved = 0, regressed = 0 } = verdicts;
  expect(Object.values(verdicts).reduce((sum, count) => sum + count, 0)).toBe(PAIRS);
  expect(improved + regressed).toBeLessThanOrEqual(MOST_FALSE_ALARMS);
  expect(improved + regressed).toBeGreaterThan(0);
});

/** Right, partly wrong (an argument) or entirely wrong (the tool), like the simulator's models. */
function answered(measure: string, random: () => number): CaseMeasurement {
  const right = random() < SKILL;
  const mean = MEASURES[measure]!(right, random() < 0.5);
  return { scored: 1, errored: 0, passed: Number(right), mean, variance: null };
}
