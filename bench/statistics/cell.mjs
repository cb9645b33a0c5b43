// One cell of the grid: every method on the same simulated pairs, and how often each covers the truth. Runs in a
// worker thread of run.mjs.
import { parentPort } from 'node:worker_threads';
import { caseMeanInterval } from '#lib/scoring/statistics/intervals';
import { pairedInterval, pairedT } from '#lib/scoring/statistics/paired';
import { wilson } from '#lib/scoring/statistics/proportions';
import { binomialChances, drawPair, populationOf, randomFrom } from './simulate.ts';

const RESAMPLES = 1000;
const resampled = new Float64Array(RESAMPLES);

/**
 * The percentile bootstrap over cases: what most tools print. Most cases have the same value; how many of the others a
 * resample holds is binomial, so that only these are drawn.
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

/** The index of the first of the ascending numbers that is above the value, or the last one's. */
function firstAbove(ascending, value) {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** An end that meets the truth covers it, whatever the last bit says. */
const EPSILON = 1e-12;

class Tally {
  covered = 0;
  /** The whole interval lies below the truth, or above it. */
  below = 0;
  above = 0;
  without0 = 0;
  #width = 0;

  add([low, high], truth) {
    if (high < truth - EPSILON) this.below++;
    else if (low > truth + EPSILON) this.above++;
    else this.covered++;
    if (low > EPSILON || high < -EPSILON) this.without0++;
    this.#width += high - low;
  }
  finish(pairs) {
    const { covered, below, above, without0 } = this;
    const share = (count) => count / pairs;
    return {
      covered: share(covered),
      below: share(below),
      above: share(above),
      without0: share(without0),
      width: share(this.#width),
    };
  }
}

const finished = (tallies, pairs) =>
  Object.fromEntries(Object.entries(tallies).map(([method, tally]) => [method, tally.finish(pairs)]));

const populations = new Map();
function populationOfCell({ rate, correlation, effect, scores }) {
  const key = [rate, correlation, effect, scores].join();
  if (!populations.has(key)) populations.set(key, populationOf({ rate, correlation, effect, scores }));
  return populations.get(key);
}

/**
 * @param cell {rate, correlation, effect, scores, n, samples, pairs, seed, bootstrap}
 * @returns {changed: mean number of cases that differ, paired and alone: {<method>: shares of the pairs}}; A alone only
 *   where B is identical, or A would be simulated once for each effect
 */
function simulateCell(cell) {
  const population = populationOfCell(cell);
  const random = randomFrom(cell.seed);
  const drawn = { means: new Float64Array(cell.n), differences: new Float64Array(cell.n) };
  const { means, differences } = drawn;
  const paired = { ours: new Tally(), t: new Tally(), ...(cell.bootstrap && { bootstrap: new Tally() }) };
  const isPassFail = cell.scores === 'pass/fail' && cell.samples === 1;
  const alone = Object.fromEntries(Object.keys(paired).map((method) => [method, new Tally()]));
  if (isPassFail) alone.wilson = new Tally();
  const { a: score, difference } = population.truth;
  let changed = 0;
  for (let pair = 0; pair < cell.pairs; pair++) {
    drawPair(population, cell.samples, random, drawn);
    for (const one of differences) if (Math.abs(one) > EPSILON) changed++;
    paired.ours.add(pairedInterval(differences).ci, difference);
    paired.t.add(pairedT(differences).ci, difference);
    paired.bootstrap?.add(percentileBootstrap(differences, 0, random), difference);
    if (cell.effect !== 'identical') continue;
    alone.ours.add(caseMeanInterval(means), score);
    alone.t.add(pairedT(means).ci, score);
    alone.bootstrap?.add(percentileBootstrap(means, 1, random), score);
    if (isPassFail)
      alone.wilson.add(
        wilson(
          means.reduce((sum, one) => sum + one, 0),
          cell.n,
        ),
        score,
      );
  }
  return {
    changed: changed / cell.pairs,
    paired: finished(paired, cell.pairs),
    alone: cell.effect === 'identical' ? finished(alone, cell.pairs) : null,
  };
}

parentPort.on('message', (cell) => parentPort.postMessage(simulateCell(cell)));
