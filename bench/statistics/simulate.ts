// Pairs of runs with a known true difference, for `run.mjs` and the short form in `npm test`.

export type Random = () => number;

/**
 * PractRand's sfc32: numbers in 0..1, with a period that a benchmark does not exhaust, unlike that of a 32-bit state.
 */
export function randomFrom(seed: number): Random {
  // 32-bit numbers in variables would each be an object on the heap.
  const state = Int32Array.of(0, seed, 0x9e3779b9, 1);
  const next = (): number => {
    const [a, b, c, counter] = [state[0]!, state[1]!, state[2]!, state[3]!];
    const sum = (a + b + counter) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    state[3] = counter + 1;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warmUp = 0; warmUp < 16; warmUp++) next();
  return next;
}

/**
 * How system B differs from A: not at all; slightly worse on every case; never passing one case in twenty, or as many
 * as the `loss` requires.
 */
type Effect = 'identical' | 'worse everywhere' | 'one in 20 broken' | 'some broken';

/** The score of a sample that does not pass: 0; a random one each time; or one that depends on its case. */
type Scores = 'pass/fail' | 'graded by sample' | 'graded by case';

export interface Setting {
  /** The share of samples that A passes. */
  rate: number;
  /** The correlation of pass or fail between two samples of one case. */
  correlation: number;
  effect: Effect;
  scores: Scores;
  /**
   * The share of samples that B passes less often. Worse everywhere: by default twice the failures, and at most 0.1.
   */
  loss?: number;
}

/** All possible cases, in equal numbers, so that the truth is a plain mean over them. */
export interface Population {
  /** The probability that a sample of this case type passes, with system A and with B. */
  a: Float64Array;
  b: Float64Array;
  /** Its score if it does not pass. By sample, any of these. */
  failed: Float64Array;
  scores: Scores;
  /** The true mean scores. */
  truth: { a: number; b: number; difference: number };
}

const TYPES = 1000;
const LOG_ODDS = Float64Array.from({ length: TYPES }, (_, type) => Math.log((type + 0.5) / (TYPES - type - 0.5)));

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function bisect(low: number, high: number, isTooLow: (x: number) => boolean): number {
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (isTooLow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Pass probabilities: log odds with a logistic distribution over the cases, `spread` wide. */
const chances = (centre: number, spread: number): Float64Array =>
  LOG_ODDS.map((logOdds) => 1 / (1 + Math.exp(-centre - spread * logOdds)));
const chancesOfRate = (rate: number, spread: number): Float64Array => {
  const reach = 60 + 60 * spread;
  return chances(
    bisect(-reach, reach, (centre) => meanChance(centre, spread) < rate),
    spread,
  );
};
/** The mean of `chances`, without listing them: it is computed thousands of times. */
function meanChance(centre: number, spread: number): number {
  let sum = 0;
  for (let type = 0; type < TYPES; type++) sum += 1 / (1 + Math.exp(-centre - spread * LOG_ODDS[type]!));
  return sum / TYPES;
}
function correlationOf(p: Float64Array): number {
  const rate = mean(p);
  return p.reduce((sum, chance) => sum + (chance - rate) ** 2, 0) / p.length / (rate * (1 - rate));
}

/** Three failures of ten score 0 (a wrong tool), the others 0.6 and their share of right arguments. */
function scoresOfFailures(): Float64Array {
  const random = randomFrom(1);
  return Float64Array.from({ length: TYPES }, () => (random() < 0.3 ? 0 : 0.6 + 0.4 * random()));
}

const spreads = new Map<string, number>();
/** The spread that yields the correlation; finding it takes a million exponentials. */
function spreadOf(rate: number, correlation: number): number {
  const key = `${rate} ${correlation}`;
  const spread = spreads.get(key) ?? bisect(0, 40, (x) => correlationOf(chancesOfRate(rate, x)) < correlation);
  spreads.set(key, spread);
  return spread;
}

export function populationOf({ rate, correlation, effect, scores, loss }: Setting): Population {
  const spread = spreadOf(rate, correlation);
  const a = chancesOfRate(rate, spread);
  const b = {
    identical: () => a,
    'worse everywhere': () => chancesOfRate(rate - (loss ?? Math.min(0.1, 1 - rate)), spread),
    'one in 20 broken': () => a.map((chance, type) => (type % 20 === 7 ? 0 : chance)),
    'some broken': () => {
      const broken = Math.round((TYPES * loss!) / rate);
      return a.map((chance, type) => (((type + 0.5) * broken) % TYPES < broken ? 0 : chance));
    },
  }[effect]();
  const failed = scores === 'pass/fail' ? new Float64Array(TYPES) : scoresOfFailures();
  const any = mean(failed);
  const score = (p: Float64Array): number =>
    mean(p.map((chance, type) => chance + (1 - chance) * (scores === 'graded by case' ? failed[type]! : any)));
  const truth = { a: score(a), b: score(b) };
  return { a, b, failed, scores, truth: { ...truth, difference: truth.b - truth.a } };
}

/** Draws cases and their samples: A's mean score on each case into `means`, B minus A into `differences`. */
export function drawPair(
  population: Population,
  samples: number,
  random: Random,
  { means, differences }: { means: Float64Array; differences: Float64Array },
): void {
  const { a, b } = population;
  for (let i = 0; i < means.length; i++) {
    const type = Math.floor(random() * TYPES);
    means[i] = meanScore(population, type, a[type]!, samples, random);
    differences[i] = meanScore(population, type, b[type]!, samples, random) - means[i]!;
  }
}

/** Draws cases of one population, with the probabilities of passing with A and with B. */
export function drawChances({ a, b }: Population, n: number, random: Random): { a: number; b: number }[] {
  return Array.from({ length: n }, () => {
    const type = Math.floor(random() * TYPES);
    return { a: a[type]!, b: b[type]! };
  });
}

function meanScore(
  { failed, scores }: Population,
  type: number,
  chance: number,
  samples: number,
  random: Random,
): number {
  let passed = 0;
  for (let sample = 0; sample < samples; sample++) if (random() < chance) passed++;
  let sum = passed;
  if (scores === 'graded by case') sum += (samples - passed) * failed[type]!;
  else if (scores === 'graded by sample')
    for (let sample = passed; sample < samples; sample++) sum += failed[Math.floor(random() * TYPES)]!;
  return sum / samples;
}

/** The probability that k of n independent cases have an outcome, each with probability p, for every k. */
export function binomialChances(n: number, p: number): Float64Array {
  const chancesOfK = new Float64Array(n + 1);
  if (p === 1) chancesOfK[n] = 1;
  let log = n * Math.log1p(-p);
  for (let k = 0; p < 1 && k <= n; k++) {
    chancesOfK[k] = Math.exp(log);
    log += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return chancesOfK;
}
