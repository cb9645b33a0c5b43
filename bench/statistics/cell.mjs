// One cell of the grid: every method on the same simulated pairs, and its coverage of the truth. Runs in a worker
// thread of run.mjs.
import { parentPort } from 'node:worker_threads';
import { caseMeanInterval } from '#lib/scoring/statistics/intervals';
import { pairedInterval, pairedT } from '#lib/scoring/statistics/paired';
import { wilson } from '#lib/scoring/statistics/proportions';
import { binomialChances, drawPair, populationOf, randomFrom } from './simulate.ts';

const RESAMPLES = 500;
const resampled = new Float64Array(RESAMPLES);

/**
 * The percentile bootstrap over cases, which most tools print. Most cases have the same value; the number of other
 * cases in a resample is binomial, so only those are drawn.
 */
function percentileBootstrap(values, usual, random) {
  const n = values.length;
  const others = values.filter((value) => value !== usual);
  const k = others.length;
  if (k === 0) return [usual, usual];
  const atMost = binomialChances(n, k / n);
  for (let count = 1; count <= n; count++) atMost[count] += atMost[count - 1];
  for (let resample = 0; resample < RESAMPLES; resample++) {
    const count = firstAbove(atMost, random());
    let sum = (n - count) * usual;
    for (let i = 0; i < count; i++) sum += others[Math.floor(random() * k)];
    resampled[resample] = sum / n;
  }
  resampled.sort();
  return [resampled[Math.floor(0.025 * RESAMPLES)], resampled[Math.ceil(0.975 * RESAMPLES) - 1]];
}

/** The index of the first of the ascending numbers above the value, or the last index. */
function firstAbove(ascending, value) {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** An interval bound equal to the truth covers it, regardless of rounding. */
const EPSILON = 1e-12;

class Tally {
  #pairs = 0;
  #below = 0;
  #above = 0;
  #width = 0;

  add([low, high], truth) {
    this.#pairs++;
    if (high < truth - EPSILON) this.#below++;
    if (low > truth + EPSILON) this.#above++;
    this.#width += high - low;
  }
  /** `below` and `above`: how often the whole interval lies on that side of the truth. `width`: the mean width. */
  finish() {
    const [below, above, width] = [this.#below, this.#above, this.#width].map((sum) => sum / this.#pairs);
    return { covered: 1 - below - above, below, above, width };
  }
}

const finished = (tallies) =>
  Object.fromEntries(Object.entries(tallies).map(([method, tally]) => [method, tally.finish()]));

const populations = new Map();
function populationOfCell({ rate, correlation, effect, scores }) {
  const key = [rate, correlation, effect, scores].join();
  if (!populations.has(key)) populations.set(key, populationOf({ rate, correlation, effect, scores }));
  return populations.get(key);
}

/**
 * @param cell {rate, correlation, effect, scores, n, samples, pairs, seed, bootstrapEvery: 0 for no bootstrap}
 * @returns {changed: mean number of cases that differ, same: how often they are called the same at a margin of the true
 *   difference, paired and alone: {<method>: shares of the pairs}}; A alone only where B is identical, since A would
 *   otherwise be simulated once for each effect
 */
function simulateCell(cell) {
  const population = populationOfCell(cell);
  const random = randomFrom(cell.seed);
  const drawn = { means: new Float64Array(cell.n), differences: new Float64Array(cell.n) };
  const { means, differences } = drawn;
  const ofBootstrap = randomFrom(-cell.seed);
  const tallies = () => ({
    ours: new Tally(),
    t: new Tally(),
    ...(cell.bootstrapEvery > 0 && { bootstrap: new Tally() }),
  });
  const isPassFail = cell.scores === 'pass/fail' && cell.samples === 1;
  const [paired, alone] = [tallies(), { ...tallies(), ...(isPassFail && { wilson: new Tally() }) }];
  const { a: score, difference } = population.truth;
  let [changed, same] = [0, 0];
  for (let pair = 0; pair < cell.pairs; pair++) {
    drawPair(population, cell.samples, random, drawn);
    for (const one of differences) if (Math.abs(one) > EPSILON) changed++;
    const isResampled = cell.bootstrapEvery > 0 && pair % cell.bootstrapEvery === 0;
    paired.ours.add(pairedInterval(differences).ci, difference);
    if (isCalledSame(differences, Math.abs(difference))) same++;
    paired.t.add(pairedT(differences).ci, difference);
    if (isResampled) paired.bootstrap.add(percentileBootstrap(differences, 0, ofBootstrap), difference);
    if (cell.effect !== 'identical') continue;
    alone.ours.add(caseMeanInterval(means), score);
    alone.t.add(pairedT(means).ci, score);
    if (isResampled) alone.bootstrap.add(percentileBootstrap(means, 1, ofBootstrap), score);
    if (isPassFail) alone.wilson.add(wilson(sumOf(means), cell.n), score);
  }
  return {
    changed: changed / cell.pairs,
    same: same / cell.pairs,
    paired: finished(paired),
    alone: cell.effect === 'identical' ? finished(alone) : null,
  };
}
/** The verdict `same` of a comparison: no difference is shown, and the 90 % interval is within the margin. */
function isCalledSame(differences, margin) {
  const [low, high] = pairedInterval(differences).ci;
  const [low90, high90] = pairedInterval(differences, 0.9).ci;
  return low <= 0 && high >= 0 && low90 > -margin && high90 < margin;
}
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

parentPort.on('message', (cell) => parentPort.postMessage(simulateCell(cell)));
