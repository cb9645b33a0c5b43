import { binomialCdf, normalQuantile, tCdf, tOutside, tQuantile } from './distributions.js';

const relativeError = (actual: number, expected: number): number => Math.abs(actual / expected - 1);

// Computed with 50 digits (mpmath 1.3).
const T_QUANTILES: [p: number, df: number, t: number][] = [
  [1e-12, 1, -318309886183.79065],
  [0.0125, 1, -25.45169957935708],
  [0.499999, 1, -3.141592653516074e-6],
  [0.8, 1, 1.376381920471174],
  [0.975, 1, 12.706204736174694],
  [1e-12, 2, -707106.7811854868],
  [0.8, 2, 1.0606601717798216],
  [0.975, 2, 4.302652729749462],
  [1e-12, 2.7, -26172.084821932815],
  [0.0125, 2.7, -4.540700544095123],
  [0.8, 2.7, 0.995889377027455],
  [0.8, 3, 0.978472312363304652],
  [0.975, 5, 2.57058183563631478],
  [1e-12, 21, -14.524186899997858],
  [0.8, 21, 0.8590740351948254],
  [0.975, 21, 2.07961384472768],
  [0.0125, 49, -2.31237516380015631],
  [0.0125, 201, -2.2583179922138577],
  [0.499999, 201, -2.5097478982186986e-6],
  [0.975, 201, 1.9718365067798589],
  [1e-12, 1e6, -7.034572608411256],
  [0.0125, 1e6, -2.2414061030985715],
  [0.499999, 1e6, -2.5066289012237065e-6],
  [0.975, 1e6, 1.9599663568141066],
];

test.each(T_QUANTILES)('the %s quantile of t with %s degrees of freedom', (p, df, t) => {
  expect(relativeError(tQuantile(p, df), t)).toBeLessThan(1e-14);
  expect(Math.abs(tCdf(t, df) - p)).toBeLessThan(1e-14);
  expect(relativeError(tOutside(t, df), 2 * Math.min(p, 1 - p))).toBeLessThan(1e-13);
});

test.each([
  [1e-300, -37.0470962993612],
  [1e-12, -7.034483825301132],
  [0.0125, -2.2414027276049455],
  [0.499999, -2.5066282745665593e-6],
  [0.8, 0.8416212335729144],
])('the %s quantile of the normal distribution', (p, z) => {
  expect(relativeError(normalQuantile(p), z)).toBeLessThan(1e-14);
});

test('the median is 0, and a probability of 0 or 1 is at infinity', () => {
  expect([normalQuantile, (p: number) => tQuantile(p, 3)].map((of) => [0, 0.5, 1].map(of))).toEqual([
    [-Infinity, 0, Infinity],
    [-Infinity, 0, Infinity],
  ]);
});

test('the tail of t keeps the digits of a small probability at many degrees of freedom', () => {
  expect(relativeError(tCdf(-1e8, 1), 3.183098861837906e-9)).toBeLessThan(1e-14);
  expect(relativeError(tCdf(-40, 7), 7.951089992425185e-10)).toBeLessThan(1e-13);
  expect(tCdf(-1e200, 3)).toBe(0);
  expect(relativeError(tQuantile(1e-300, 1), -3.183098861837907e299)).toBeLessThan(1e-12);
  expect(tCdf(0, 5)).toBe(0.5);
});

test('binomial probabilities are right at their ends', () => {
  expect(binomialCdf(-1, 5, 0.5)).toBe(0);
  expect(binomialCdf(7, 5, 0.5)).toBe(1);
  expect([0, 1].map((p) => binomialCdf(4, 5, p))).toEqual([1, 0]);
  expect(binomialCdf(0, 0, 0.5)).toBe(1);
  expect(relativeError(binomialCdf(3, 300, 0.5), 2.209215277629956e-84)).toBeLessThan(1e-13);
});
