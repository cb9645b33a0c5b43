/*
 * The t, normal and binomial distributions. The quantiles are our own implementation, within 1e-14 of arithmetic with
 * 50 digits (distributions.spec.ts). @stdlib/stats 0.2 has t within 2e-15, but 0 for chances next to 0.5 at many
 * degrees of freedom, and normal within 4e-7 at 1e-12; the two bring 228 packages. jStat 1.9 has t within 6e-8.
 */

/**
 * The p quantile of the normal distribution: Wichura 1988, algorithm AS 241 (PPND16). @param p 0..1; 0 and 1 give
 * infinities.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(CENTRE, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  if (r === Infinity) return Math.sign(q) * r;
  return Math.sign(q) * (r <= 5 ? ratio(NEAR_TAIL, r - 1.6) : ratio(FAR_TAIL, r - 5));
}

/** Coefficients of a numerator and a denominator, highest power first. */
type Polynomials = readonly [numerator: readonly number[], denominator: readonly number[]];
const CENTRE: Polynomials = [
  [
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
    1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
  ],
  [
    5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
    687.1870074920579083, 42.313330701600911252, 1,
  ],
];
const NEAR_TAIL: Polynomials = [
  [
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
    3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
  ],
  [
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1,
  ],
];
const FAR_TAIL: Polynomials = [
  [
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
  ],
  [
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1,
  ],
];
const ratio = ([numerator, denominator]: Polynomials, x: number): number =>
  polynomial(numerator, x) / polynomial(denominator, x);
const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

/** P(T <= t) for Student's t. A small probability keeps its relative precision. @param df above 0, of any size */
export function tCdf(t: number, df: number): number {
  const { inside, outside } = twoSided(t, df);
  return t < 0 ? outside / 2 : 0.5 + inside / 2;
}

/** P(|T| > |t|): the p value of a two-sided t test. */
export const tOutside = (t: number, df: number): number => twoSided(t, df).outside;

/**
 * The p quantile of Student's t. Newton's method for the logarithm of the tail as a function of log t. That function is
 * concave, and the normal quantile lies below the root: the first step overshoots it, and the others come back to it.
 * @param p 0..1; 0 and 1 give infinities. @param df above 0
 */
export function tQuantile(p: number, df: number): number {
  const start = normalQuantile(p);
  if (start === 0 || !Number.isFinite(start)) return start;
  const wanted = { inside: Math.abs(2 * p - 1), outside: 2 * Math.min(p, 1 - p) };
  let t = Math.abs(start);
  for (let step = 1, i = 0; Math.abs(step) > 1e-14 && i < 100; i++) {
    const { inside, outside, slope } = twoSided(t, df);
    // The smaller of the two probabilities has the significant digits.
    const excess = outside < inside ? outside - wanted.outside : wanted.inside - inside;
    step = (Math.log1p(excess / wanted.outside) * outside) / slope;
    t *= Math.exp(step);
  }
  return Math.sign(start) * t;
}

/**
 * P(|T| <= |t|), P(|T| > |t|), and their slope over log t, up to the sign. The smaller of the two probabilities is
 * computed directly, never as the complement of the other.
 */
function twoSided(t: number, df: number): { inside: number; outside: number; slope: number } {
  const a = df / 2;
  const r = Math.abs(t) / Math.sqrt(df);
  const [x, y] = [1 / (1 + r * r), 1 / (1 + 1 / (r * r))]; // y is 1 - x
  // A large a multiplies the error of this logarithm, so it is not taken of the rounded x, and r * r may overflow.
  const logarithm = r > 1 ? -2 * Math.log(r) - Math.log1p(1 / (r * r)) : -Math.log1p(r * r);
  const front = Math.exp(a * logarithm) * Math.sqrt(y / Math.PI) * gammaRatio(a); // x^a y^(1/2) / B(a, 1/2)
  if (Math.abs(t) <= 1) {
    const inside = front / betaFraction(0.5, a, y, x);
    return { inside, outside: 1 - inside, slope: 2 * front };
  }
  const outside = front / betaFraction(a, 0.5, x, y);
  return { inside: 1 - outside, outside, slope: 2 * front };
}

/**
 * The continued fraction by which x^a y^b / B(a, b) is divided to give the incomplete beta function I_x(a, b): Didonato
 * and Morris 1992 (TOMS 708), equation 9, by Lentz's method. It uses y = 1 - x as given, and so loses no precision
 * where x is almost 1. @param x at most a / (a + b), where it converges fast
 */
function betaFraction(a: number, b: number, x: number, y: number): number {
  const lambda = a * y - b * x;
  let value = (a * (lambda + 1)) / (a + 1);
  let [c, d] = [value, 0];
  for (let n = 1, change = 0; Math.abs(change - 1) > 1e-15; n++) {
    const [middle, w] = [a + 2 * n - 1, n * (b - n) * x];
    const alpha = (((a + n - 1) * (a + b + n - 1)) / middle ** 2) * w * x;
    const beta = n + w / middle + ((a + n) / (middle + 2)) * (lambda + 1 + n * (1 + y));
    d = 1 / (beta + alpha * d);
    c = beta + alpha / c;
    value *= change = c * d;
  }
  return value;
}

/**
 * Gamma(a + 1/2) / Gamma(a), by its series in 1/(a - 1/4)^2 (DLMF 5.11.14): the difference of two log-gammas would lose
 * the digits of a large a.
 */
function gammaRatio(a: number): number {
  let shift = 1;
  for (; a < 20; a++) shift *= a / (a + 0.5);
  const w = a - 0.25;
  const v = 1 / (w * w);
  return shift * Math.sqrt(w) * polynomial([-174317 / 2 ** 27, 631 / 2 ** 19, -19 / 2 ** 13, 1 / 64, 1], v);
}

/**
 * P(X <= k) of a binomial distribution of n trials with chance p. The weights of the outcomes are computed from each
 * other, outwards from the most likely one, until they vanish: no gamma function, and no loss in the tail.
 */
export function binomialCdf(k: number, n: number, p: number): number {
  const mode = Math.min(n, Math.floor((n + 1) * p));
  let [low, high] = [0, 0];
  const add = (i: number, weight: number): void => void (i <= k ? (low += weight) : (high += weight));
  for (let i = mode, weight = 1; weight > 0; weight *= (i * (1 - p)) / ((n - i + 1) * p), i--) add(i, weight);
  for (let i = mode, weight = 1; (weight *= ((n - i) * p) / ((i + 1) * (1 - p))) > 0;) add(++i, weight);
  return low / (low + high);
}
