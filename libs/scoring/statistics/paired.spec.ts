import { clusterT, equivalence, pairedInterval, pairedT, smallestDetectable } from './paired.js';
import { seededRandom } from './seeded-random.js';

const differences = (n: number, ...given: [count: number, difference: number][]): number[] => {
  const values = given.flatMap(([count, difference]) => Array<number>(count).fill(difference));
  return [...values, ...Array<number>(n - values.length).fill(0)];
};

describe('the interval of the mean difference', () => {
  test.each<[string, number[], number, [number, number], number, number]>([
    ['50 without a difference', differences(50), 0, [-0.0551, 0.0551], 1, 0.078],
    ['400, 3 fixed, 3 broken', differences(400, [3, 1], [3, -1]), 0, [-0.0138, 0.0138], 1, 0.02],
    ['100, 5 broken', differences(100, [5, -1]), -0.05, [-0.0998, 0.0018], 0.0584, 0.072],
    ['100, 6 broken', differences(100, [6, -1]), -0.06, [-0.1129, -0.0048], 0.0332, 0.077],
    ['100, 9 broken, 1 fixed', differences(100, [9, -1], [1, 1]), -0.08, [-0.1443, -0.0125], 0.0202, 0.094],
    ['100, 12 fixed, 3 broken', differences(100, [12, 1], [3, -1]), 0.09, [0.0096, 0.1669], 0.0283, 0.112],
    ['20, all better by 0.2', differences(20, [20, 0.2]), 0.2, [0.134, 0.2296], 0, 0.068],
    ['1000, 8 fixed, 6 broken', differences(1000, [8, 1], [6, -1]), 0.002, [-0.0058, 0.0098], 0.6173, 0.011],
    ['2000, 30 broken, 10 fixed', differences(2000, [30, -1], [10, 1]), -0.01, [-0.0163, -0.0037], 0.002, 0.009],
    ['10, 4 broken', differences(10, [4, -1]), -0.4, [-0.7472, 0.0805], 0.1039, 0.578],
  ])('of %s cases', (_name, values, mean, [low, high], p, detectable) => {
    const found = pairedInterval(values);
    expect(found.mean).toBeCloseTo(mean, 12);
    expect(found.ci).toEqual([expect.closeTo(low, 4), expect.closeTo(high, 4)]);
    expect(found.p).toBeCloseTo(p, 4);
    expect(smallestDetectable(found)).toBeCloseTo(detectable, 3);
  });

  it('spans all of -1 to 1 without data', () => {
    expect(pairedInterval([])).toMatchObject({ mean: null, centre: 0, p: 1, ci: [-1, 1] });
  });

  it('treats a rounding error as no difference', () => {
    const rest = 0.1 + 0.2 - 0.3;
    expect(pairedInterval(differences(50, [50, rest])).pseudo).toBeCloseTo(1, 12);
  });

  it('is mirrored when the sides are swapped, and has no negative zero', () => {
    const values = differences(40, [7, 0.6], [3, -1], [2, 0.1]);
    const [there, back] = [pairedInterval(values), pairedInterval(values.map((value) => -value))];
    expect(back.ci).toEqual([-there.ci[1], -there.ci[0]]);
    expect([back.p, back.se]).toEqual([there.p, there.se]);
    expect(pairedInterval([-0, -0, -0]).centre).toBe(0);
  });

  it('agrees with its p value and with the two one-sided tests, at every confidence', () => {
    const random = seededRandom(16);
    for (let i = 0; i < 300; i++) {
      const values = Array.from({ length: 5 + Math.floor(60 * random()) }, () =>
        random() < 0.6 ? 0 : random() < 0.7 ? 1 : -0.4,
      );
      const { p, ci } = pairedInterval(values, 0.95);
      expect(p < 0.05).toBe(ci[0] > 0 || ci[1] < 0);
      const [low, high] = pairedInterval(values, 0.9).ci;
      const margin = random() / 2;
      expect(equivalence(values, margin).equivalent).toBe(low > -margin && high < margin);
    }
  });
});

describe('the t interval over clusters', () => {
  it('equals that of the case means if each case has the same number of samples', () => {
    const random = seededRandom(5);
    const means = Array.from({ length: 30 }, () => random());
    const samples = means.flatMap((mean) => [mean - 0.3, mean - 0.1, mean, mean + 0.4]);
    const clustered = clusterT(
      samples,
      samples.map((_, index) => `case ${Math.floor(index / 4)}`),
    );
    const plain = pairedT(means);
    expect(clustered.df).toBe(29);
    for (const figure of ['mean', 'se', 't', 'p'] as const) expect(clustered[figure]).toBeCloseTo(plain[figure]!, 12);
    expect(clustered.ci).toEqual(plain.ci?.map((limit) => expect.closeTo(limit, 12)));
  });

  it('is null if it does not exist', () => {
    const nothing = { se: null, t: null, df: 0, p: null, ci: null };
    expect(pairedT([])).toEqual({ mean: null, ...nothing });
    expect(pairedT([0.4])).toEqual({ mean: 0.4, ...nothing });
    expect(clusterT([0, 1, 1], ['a', 'a', 'a'])).toEqual({ mean: 2 / 3, ...nothing });
    expect(pairedT([0, 0, -0])).toEqual({ mean: 0, se: 0, t: null, df: 2, p: null, ci: [0, 0] });
    expect(pairedT(Array<number>(20).fill(0.2))).toMatchObject({ se: 0, t: null, p: 0 });
  });
});
