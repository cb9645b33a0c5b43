import { Estimate } from '#lib/contracts/comparison';
import { clusterT } from '#lib/scoring/statistics/paired';
import fc from '../../test/fast-check.js';
import { estimateDifference, type EstimateOptions } from './estimate.js';
import type { CaseMeasurement, PairedCase } from './measurements.js';

const measured = (...scores: (number | 'errored')[]): CaseMeasurement => {
  const scored = scores.filter((score) => score !== 'errored');
  const mean = scored.reduce((sum, score) => sum + score, 0) / scored.length;
  return {
    scored: scored.length,
    errored: scores.length - scored.length,
    passed: scored.filter((score) => score === 1).length,
    mean: scored.length ? mean : null,
    variance:
      scored.length < 2 ? null : scored.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (scored.length - 1),
  };
};
type Sides = [a: CaseMeasurement, b: CaseMeasurement];
const paired = (sides: readonly Sides[], clusterOf?: (index: number) => string): PairedCase[] =>
  sides.map(([a, b], index) => ({
    index,
    category: null,
    tool: 'search',
    cluster: clusterOf?.(index) ?? null,
    a,
    b,
  }));

const fixed: Sides = [measured(0), measured(1)];
const broken: Sides = [measured(1), measured(0)];
const right: Sides = [measured(1), measured(1)];
/** `n` cases, with the given number of each kind, and the rest right on both sides. */
const of = (n: number, { fixed: up = 0, broken: down = 0 }: { fixed?: number; broken?: number }): PairedCase[] =>
  paired(Array.from({ length: n }, (_, index) => (index < up ? fixed : index < up + down ? broken : right)));

const options: EstimateOptions = {
  measure: 'overall',
  margin: 0.02,
  maxErroredShare: 0.05,
  subject: { pairs: [{ a: 'openai::gpt-x', b: 'openai::gpt-y' }], amongOthers: false },
};
const estimate = (cases: PairedCase[], more: Partial<EstimateOptions> = {}) => {
  const made = estimateDifference(cases, { ...options, ...more });
  expect(Estimate.parse(made)).toEqual(made);
  return made;
};

const upFifth: Sides = [measured(0, 1, 0, 1, 0), measured(1, 1, 0, 1, 0)];

it.each<[string, PairedCase[], number, [number, number], number, number, string]>([
  ['50 x 0', of(50, {}), 0, [-0.0551, 0.0551], 1, 0.078, 'inconclusive'],
  ['400: 3 fixed, 3 broken', of(400, { fixed: 3, broken: 3 }), 0, [-0.0138, 0.0138], 1, 0.02, 'same'],
  ['100: 5 broken', of(100, { broken: 5 }), -0.05, [-0.0998, 0.0018], 0.0584, 0.072, 'inconclusive'],
  ['100: 6 broken', of(100, { broken: 6 }), -0.06, [-0.1129, -0.0048], 0.0332, 0.077, 'regressed'],
  ['100: 9 broken, 1 fixed', of(100, { broken: 9, fixed: 1 }), -0.08, [-0.1443, -0.0125], 0.0202, 0.094, 'regressed'],
  ['100: 12 fixed, 3 broken', of(100, { fixed: 12, broken: 3 }), 0.09, [0.0096, 0.1669], 0.0283, 0.112, 'improved'],
  ['20 of 5 samples, +0.2', paired(Array(20).fill(upFifth)), 0.2, [0.134, 0.2296], 0, 0.068, 'improved'],
  ['1000: 8 fixed, 6 broken', of(1000, { fixed: 8, broken: 6 }), 0.002, [-0.0058, 0.0098], 0.6173, 0.011, 'same'],
  [
    '2000: 30 broken, 10 fixed',
    of(2000, { broken: 30, fixed: 10 }),
    -0.01,
    [-0.0163, -0.0037],
    0.002,
    0.009,
    'regressed, small',
  ],
  ['10: 4 broken', of(10, { broken: 4 }), -0.4, [-0.7472, 0.0805], 0.1039, 0.578, 'inconclusive'],
])('of %s has the figures and the verdict of its row', (_row, cases, difference, ci, p, detectable, verdict) => {
  const made = estimate(cases);
  expect(made.difference).toBeCloseTo(difference, 12);
  expect(made.ci).toEqual(ci.map((limit) => expect.closeTo(limit, 4)));
  expect(made.p).toBeCloseTo(p, 4);
  expect(made.smallest_detectable).toBeCloseTo(detectable, 3);
  expect(`${made.verdict}${made.small ? ', small' : ''}`).toBe(verdict);
  expect(made.reasons).toEqual([]);
  expect(made.robust).toBe(verdict !== 'inconclusive');
});

it('has the 90 % interval that decides "same"', () => {
  expect(estimate(of(400, { fixed: 3, broken: 3 })).ci90).toEqual([expect.closeTo(-0.0116), expect.closeTo(0.0116)]);
});

describe('a case is the unit', () => {
  const repeated = (samples: number): PairedCase[] =>
    paired(
      Array.from({ length: 20 }, (_, index) => {
        const [a, b] = index < 6 ? [0, 1] : index < 8 ? [1, 0] : [1, 1];
        return [measured(...Array<number>(samples).fill(a)), measured(...Array<number>(samples).fill(b))];
      }),
    );

  it('so that 20 cases of 50 samples have the interval of 20 cases', () => {
    const [once, often] = [estimate(repeated(1)), estimate(repeated(50))];
    expect(often.n_cases).toBe(20);
    expect(often.samples).toEqual([50, 50]);
    for (const key of ['difference', 'ci', 'ci90', 'se', 'df', 'p', 'verdict'] as const)
      expect(often[key]).toEqual(once[key]);
    expect(often.classic!.se).toBeCloseTo(once.classic!.se, 12);
  });

  it('or a cluster of cases, whose difference is the mean of theirs', () => {
    const cases = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? fixed : right));
    const clustered = estimate(paired(cases, (index) => `group ${Math.floor(index / 2)}`));
    const means = estimate(
      paired(Array.from({ length: 6 }, (_, group) => [measured(group % 3 === 2 ? 1 : 0.5), measured(1)] as Sides)),
    );
    expect(clustered).toMatchObject({ n_cases: 6, df: 7 });
    expect(clustered.text).toContain('12 cases in 6 groups');
    for (const key of ['mean_a', 'mean_b', 'difference', 'ci', 'se', 'p'] as const)
      expect(clustered[key]).toEqual(means[key]);
  });

  it('or the case alone if it has no cluster', () => {
    const cases = paired(Array<Sides>(7).fill(fixed)).map((one) => ({ ...one, cluster: one.index < 2 ? 'x' : null }));
    expect(estimate(cases).n_cases).toBe(6);
  });
});

describe('errored samples', () => {
  const errored = (count: number): CaseMeasurement => measured(...Array<'errored'>(count).fill('errored'));

  it('are in no mean and do not count as wrong', () => {
    const cases = paired([...Array<Sides>(19).fill(right), [measured(1, 1), measured(1, 'errored')]]);
    expect(estimate(cases)).toMatchObject({ mean_a: 1, mean_b: 1, difference: 0, n_cases: 20 });
  });

  it('bound the difference: all of one side failed and all of the other passed, and the reverse', () => {
    const half: Sides = [measured(0, 1), measured(1, 'errored')];
    expect(estimate(paired(Array<Sides>(10).fill(half)), { maxErroredShare: 1 })).toMatchObject({
      difference: 0.5,
      bounds: [0, 0.5],
    });
  });

  it('of a case without a score on one side are in the bounds, although the case is in no mean', () => {
    const cases = paired([...Array<Sides>(8).fill(right), [measured(1), errored(1)], [errored(1), errored(1)]]);
    expect(estimate(cases, { maxErroredShare: 1 })).toMatchObject({
      n_cases: 8,
      difference: 0,
      bounds: [expect.closeTo(-0.2), expect.closeTo(0.1)],
    });
  });

  it('make a verdict that they could overturn not robust', () => {
    const lost = (count: number): PairedCase[] =>
      paired([...Array<Sides>(count).fill([measured(1), errored(1)]), ...of(200, { fixed: 16 }).map(sidesOf)]);
    expect(estimate(lost(5))).toMatchObject({ verdict: 'improved', robust: true });
    expect(estimate(lost(17), { maxErroredShare: 0.1 })).toMatchObject({ verdict: 'improved', robust: false });
  });

  it('above the maximum share prevent a verdict, on either side', () => {
    const some = (count: number): Sides[] => [
      ...Array<Sides>(count).fill([measured(0, 0), measured(1, 'errored')]),
      ...Array<Sides>(20 - count).fill([measured(0, 0), measured(1, 1)]),
    ];
    expect(estimate(paired(some(2)))).toMatchObject({ verdict: 'improved', reasons: [] });
    for (const cases of [some(3), some(3).map(([a, b]): Sides => [b, a])])
      expect(estimate(paired(cases))).toMatchObject({ verdict: 'inconclusive', reasons: ['errored'], robust: false });
    expect(estimate(paired(some(1)), { maxErroredShare: 0 }).reasons).toEqual(['errored']);
  });
});

const sidesOf = ({ a, b }: PairedCase): Sides => [a, b];

describe('there is no verdict', () => {
  it.each<[string, PairedCase[], Partial<EstimateOptions>, string]>([
    ['on fewer than 5 cases', of(4, { fixed: 4 }), {}, 'too_few_cases'],
    ['on no cases', [], {}, 'too_few_cases'],
    ['where nothing is scored', paired(Array<Sides>(9).fill([measured('errored'), measured(1)])), {}, 'nothing_scored'],
    ['while a run is in progress', of(100, { fixed: 30 }), { obstacle: 'running' }, 'running'],
    ['without common targets', [], { obstacle: 'no_common_targets' }, 'no_common_targets'],
  ])('%s', (_when, cases, more, reason) => {
    expect(estimate(cases, more)).toMatchObject({ verdict: 'not_comparable', reasons: [reason], small: false });
  });

  it('but figures while a run is in progress', () => {
    expect(estimate(of(100, { fixed: 30 }), { obstacle: 'running' }).difference).toBeCloseTo(0.3);
  });
});

describe('a margin of 0', () => {
  it('means that nothing is the same, and that no number of cases shows it', () => {
    expect(estimate(of(400, { fixed: 3, broken: 3 }), { margin: 0 })).toMatchObject({
      verdict: 'inconclusive',
      cases_for_margin: null,
      small: false,
    });
  });
});

it('states how many cases would show the margin', () => {
  const { smallest_detectable, cases_for_margin } = estimate(of(100, { fixed: 12, broken: 3 }));
  expect(cases_for_margin).toBe(Math.ceil(100 * (smallest_detectable! / 0.02) ** 2));
});

describe('the correction for several targets', () => {
  it('denies a target the verdict improved when the corrected p is too large', () => {
    const cases = of(100, { fixed: 12, broken: 3 });
    expect(estimate(cases, { holm: { p: 0.049, targets: 3 } }).verdict).toBe('improved');
    expect(estimate(cases, { holm: { p: 0.05, targets: 3 } }).verdict).toBe('inconclusive');
  });

  it('leaves a difference within the margin the same', () => {
    const cases = of(2000, { broken: 30, fixed: 10 });
    expect(estimate(cases, { holm: { p: 0.06, targets: 3 } })).toMatchObject({ verdict: 'same', small: false });
  });
});

describe('the classic error', () => {
  const scores = [
    [0, 1, 1],
    [1, 1, 0],
    [1, 0, 0],
    [0, 0, 0],
    [1, 1, 1],
    [0, 1, 0],
  ];
  const others = [...scores.slice(2), ...scores.slice(0, 2)];

  it('is the clustered standard error of the sample differences, as other tools print it', () => {
    const { classic } = estimate(paired(scores.map((a, index) => [measured(...a), measured(...others[index]!)])));
    const differences = scores.flatMap((a, index) => a.map((score, sample) => others[index]![sample]! - score));
    const clusters = scores.flatMap((a, index) => a.map(() => index));
    const { se, ci } = clusterT(differences, clusters);
    expect(classic).toEqual({ se: expect.closeTo(se!, 12), ci: ci!.map((limit) => expect.closeTo(limit, 12)) });
  });

  it('equals the t interval of the cases when each has the same number of samples', () => {
    const { classic } = estimate(paired(scores.map((a, index) => [measured(...a), measured(...others[index]!)])));
    const means = scores.map((a, index) => measured(...others[index]!).mean! - measured(...a).mean!);
    const { se, ci } = clusterT(means, [0, 1, 2, 3, 4, 5]);
    expect(classic).toEqual({ se: expect.closeTo(se!, 12), ci: ci!.map((limit) => expect.closeTo(limit, 12)) });
  });

  it('weighs a case by the side with fewer samples', () => {
    const cases: Sides[] = [[measured(0, 1, 0), measured(1, 1)], ...Array<Sides>(5).fill(fixed), right];
    const { classic } = estimate(paired(cases));
    const { se } = clusterT([2 / 3, 2 / 3, 1, 1, 1, 1, 1, 0], [0, 0, 1, 2, 3, 4, 5, 6]);
    expect(classic!.se).toBeCloseTo(se!, 12);
  });
});

describe('the variance', () => {
  it('splits into between and within cases where every case has two samples on both sides', () => {
    const cases: Sides[] = [
      ...Array<Sides>(5).fill([measured(0, 1), measured(1, 1)]),
      ...Array<Sides>(5).fill([measured(1, 1), measured(0, 0)]),
    ];
    const { variance } = estimate(paired(cases));
    const within = 0.5 / 2 / 2;
    expect(variance).toEqual({
      within: expect.closeTo(within),
      between: expect.closeTo((10 * 0.75 ** 2) / 9 - within),
    });
    expect(estimate(paired([...cases, fixed])).variance).toBeNull();
  });

  it('between cases is never below 0', () => {
    const cases: Sides[] = Array.from({ length: 10 }, () => [measured(0, 1), measured(1, 0)]);
    expect(estimate(paired(cases)).variance).toEqual({ between: 0, within: expect.closeTo(0.5) });
  });
});

const anyScore = fc.oneof(
  fc.constantFrom<(0 | 1 | 'errored')[]>(0, 1, 'errored'),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const anySide = fc.array(anyScore, { maxLength: 3 }).map((scores) => measured(...scores));
const anyCases = fc.array(fc.tuple(anySide, anySide, fc.constantFrom(null, 'x', 'y')), { maxLength: 30 });
const anyMargin = fc.constantFrom(0, 1e-300, 0.02, 1);

/** Every number in a value. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

it('never contains NaN, infinity or -0', () => {
  fc.assert(
    fc.property(anyCases, anyMargin, fc.constantFrom(0, 0.05, 1), (cases, margin, maxErroredShare) => {
      const made = estimate(
        cases.map(([a, b, cluster], index) => ({ index, category: null, tool: 'f', cluster, a, b })),
        { margin, maxErroredShare },
      );
      for (const figure of numbersIn(made)) expect(Number.isFinite(figure) && !Object.is(figure, -0)).toBe(true);
      expect(made.text).not.toMatch(/NaN|Infinity|null|undefined|no significant difference|-0[^.\d]/);
    }),
  );
});

it('is mirrored when the two sides are swapped', () => {
  const mirrored = (interval: [number, number] | null) => interval && [0 - interval[1], 0 - interval[0]];
  const opposite: Record<string, string> = { improved: 'regressed', regressed: 'improved' };
  fc.assert(
    fc.property(anyCases, anyMargin, (cases, margin) => {
      const toPaired = (swap: boolean): PairedCase[] =>
        cases.map(([a, b, cluster], index) => ({
          index,
          category: null,
          tool: 'f',
          cluster,
          ...(swap ? { a: b, b: a } : { a, b }),
        }));
      const [there, back] = [
        estimate(toPaired(false), { margin, maxErroredShare: 0.5 }),
        estimate(toPaired(true), { margin, maxErroredShare: 0.5 }),
      ];
      const { text: _there, ...figures } = there;
      const { text: _back, ...others } = back;
      expect(others).toEqual({
        ...figures,
        samples: [there.samples[1], there.samples[0]],
        mean_a: there.mean_b,
        mean_b: there.mean_a,
        difference: there.difference === null ? null : 0 - there.difference,
        ci: mirrored(there.ci),
        ci90: mirrored(there.ci90),
        bounds: mirrored(there.bounds),
        classic: there.classic && { se: there.classic.se, ci: mirrored(there.classic.ci) },
        verdict: opposite[there.verdict!] ?? there.verdict,
      });
    }),
  );
});
