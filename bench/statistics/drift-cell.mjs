// One cell of drift.mjs: gate runs that test the samples they add before they count them, and gate runs that do not, on
// the same simulated systems; or how often a drift of the baseline is noticed. Runs in a worker thread.
import { parentPort } from 'node:worker_threads';
import { sumsOf } from '#lib/comparison/estimate';
import { measureDifference } from '#lib/comparison/figures';
import { countOutcomes } from '#lib/comparison/outcomes';
import { driftTestOf, findDrift } from '#lib/comparison/sample-drift';
import { alphaOfLook } from '#lib/gate/alpha';
import { decidePair, sumUp } from '#lib/gate/measure-target';
import { drawChances, populationOf, randomFrom } from './simulate.ts';

const LOOKS = 4;
/** Samples of each case that are there at a look, and that it added. */
const samplesOf = (look) => 2 ** look;
const addedAt = (look) => (look === 0 ? 1 : samplesOf(look) / 2);
const NOW = new Date(0);

const runOf = (parts) => ({
  targets: [{}],
  parts: Array.from({ length: parts }, () => ({ isWhole: true, from: NOW, to: NOW })),
});
/** A gate run with one model adds samples to both sides. */
const testOf = (parts, margin) => driftTestOf([runOf(parts), runOf(parts)], margin);

function draw(chances, samples, random) {
  return chances.map((chance, position) => {
    let passed = 0;
    for (let sample = 0; sample < samples; sample++) if (random() < chance) passed++;
    return { position, scored: samples, mean: passed / samples };
  });
}

function pooled(parts, position) {
  const [scored, passed] = parts.reduce(
    ([all, right], part) => [all + part[position].scored, right + part[position].scored * part[position].mean],
    [0, 0],
  );
  const variance = scored < 2 ? null : (passed * (scored - passed)) / (scored * (scored - 1));
  return { scored, errored: 0, passed, mean: passed / scored, variance };
}

const pair = { a: 'a', b: 'b' };
const cost = { a: null, b: null };
const level = (margin) => ({ margin, floor: null, max_errored_share: 0.05, alpha: alphaOfLook(LOOKS) });

/** @returns the result of a look at parts of both sides, and whether another may decide */
function lookAt(a, b, margin) {
  const cases = a[0].map((_, index) => {
    const sides = { a: pooled(a, index), b: pooled(b, index) };
    return { index, category: null, tool: 'any', cluster: null, ...sides };
  });
  const measured = { figures: measureDifference(cases.map(sumsOf)), outcomes: countOutcomes(cases) };
  const read = { pair, cases, ...measured, passes: cases.map((one) => one.b), critical: [], cost, drift: [] };
  const summed = sumUp(read, level(margin), samplesOf(LOOKS - 1));
  const rules = { level: level(margin), measure: 'passed', pHolm: summed.figures.p, family: 1, amongOthers: false };
  const { target, prospect } = decidePair(summed, rules);
  return { result: target.result, isOpen: target.result === 'inconclusive' && (prospect.canPass || prospect.canFail) };
}

function gateRun(chances, random, margin) {
  const [a, b] = [[], []];
  let drifted = false;
  for (let look = 0; look < LOOKS; look++) {
    a.push(draw(chances.a, addedAt(look), random));
    b.push(draw(chances.b, addedAt(look), random));
    const test = testOf(look + 1, margin);
    drifted ||= [a, b].some((parts) => findDrift(runOf(look + 1).parts, parts, test) !== undefined);
    const { result, isOpen } = lookAt(a, b, margin);
    if (!isOpen || look === LOOKS - 1) return { pooled: result, tested: drifted ? 'not_measured' : result, drifted };
  }
}

function simulateSteady(population, { pairs, seed, n, margin = -population.truth.difference }) {
  const random = randomFrom(seed);
  const found = { alarms: 0, tested: { pass: 0, fail: 0 }, pooled: { pass: 0, fail: 0 } };
  for (let drawn = 0; drawn < pairs; drawn++) {
    const drawnChances = drawChances(population, n, random);
    const chances = { a: drawnChances.map(({ a }) => a), b: drawnChances.map(({ b }) => b) };
    const { drifted, ...results } = gateRun(chances, random, margin);
    if (drifted) found.alarms += 1 / pairs;
    for (const [how, result] of Object.entries(results)) if (result in found[how]) found[how][result] += 1 / pairs;
  }
  return found;
}

/** The baseline's first sample is of the better system, and those added to it are of the worse one. */
function simulateDrift(population, { pairs, seed, n }) {
  const random = randomFrom(seed);
  const noticed = { 1: 0, 3: 0, 7: 0 };
  for (let drawn = 0; drawn < pairs; drawn++) {
    const chances = drawChances(population, n, random);
    const parts = [0, 1, 2, 3].map((look) =>
      draw(
        chances.map(({ a, b }) => (look === 0 ? a : b)),
        addedAt(look),
        random,
      ),
    );
    for (const look of [1, 2, 3]) {
      const found = findDrift(runOf(look + 1).parts, parts.slice(0, look + 1), testOf(look + 1, 0.03));
      if (found) noticed[samplesOf(look) - 1] += 1 / pairs;
    }
  }
  return { noticed };
}

function simulateCell({ what, ...cell }) {
  const population = populationOf({ ...cell, scores: 'pass/fail' });
  return what === 'steady' ? simulateSteady(population, cell) : simulateDrift(population, cell);
}

parentPort.on('message', (cell) => parentPort.postMessage(simulateCell(cell)));
