// One cell of gates.mjs: the decisions of gates with several looks, with one, and with several at the level of one, on
// the same simulated systems. Runs in a worker thread.
import { parentPort } from 'node:worker_threads';
import { sumsOf } from '#lib/comparison/estimate';
import { measureDifference } from '#lib/comparison/figures';
import { countOutcomes } from '#lib/comparison/outcomes';
import { alphaOfLook } from '#lib/gate/alpha';
import { decidePair, sumUp } from '#lib/gate/measure-target';
import { drawChances, populationOf, randomFrom } from './simulate.ts';

const LOOKS = 4;
const samplesOf = (look) => 2 ** look;
const GATES = {
  corrected: { looks: LOOKS, alpha: alphaOfLook(LOOKS) },
  uncorrected: { looks: LOOKS, alpha: alphaOfLook(1) },
  single: { looks: 1, alpha: alphaOfLook(1) },
};

const measurementOf = (passed, scored) => ({
  scored,
  errored: 0,
  passed,
  mean: passed / scored,
  variance: scored < 2 ? null : (passed * (scored - passed)) / (scored * (scored - 1)),
});

/**
 * The cases of two systems at each look, drawn when the look is taken: samples are added to those of the previous look.
 */
function drawLooks(population, n, random) {
  const cases = drawChances(population, n, random).map((chance) => ({ chance, a: 0, b: 0 }));
  const drawn = [];
  return (look) => (drawn[look] ??= drawLook(cases, look, random));
}
function drawLook(cases, look, random) {
  const samples = samplesOf(look);
  const added = look === 0 ? samples : samples / 2;
  return cases.map((one, index) => {
    for (let sample = 0; sample < added; sample++) {
      if (random() < one.chance.a) one.a++;
      if (random() < one.chance.b) one.b++;
    }
    const sides = { a: measurementOf(one.a, samples), b: measurementOf(one.b, samples) };
    return { index, category: null, tool: 'any', cluster: null, ...sides };
  });
}

const pair = { a: 'a', b: 'b' };
const cost = { a: null, b: null };

/** @returns the result of the gate's last look, and the number of looks */
function decide(drawn, { looks, alpha }, margin) {
  const level = { margin, floor: null, max_errored_share: 0.05, alpha };
  for (let look = 0; ; look++) {
    const cases = drawn(look);
    const measured = { figures: measureDifference(cases.map(sumsOf)), outcomes: countOutcomes(cases) };
    const read = { pair, cases, ...measured, passes: cases.map(({ b }) => b), critical: [], cost, drift: [] };
    const summed = sumUp(read, level, samplesOf(looks - 1));
    const rules = { level, measure: 'passed', pHolm: summed.figures.p, family: 1, amongOthers: false };
    const { target, prospect } = decidePair(summed, rules);
    if (target.result !== 'inconclusive' || !(prospect.canPass || prospect.canFail))
      return { result: target.result, looks: look + 1 };
  }
}

/** @param cell {rate, correlation, effect, loss, n, pairs, seed, margin: that of the gate} */
function simulateCell({ pairs, seed, n, margin, ...setting }) {
  const population = populationOf({ ...setting, scores: 'pass/fail' });
  const random = randomFrom(seed);
  const tallies = Object.fromEntries(Object.keys(GATES).map((name) => [name, { pass: 0, fail: 0, looks: 0 }]));
  for (let drawn = 0; drawn < pairs; drawn++) {
    const looks = drawLooks(population, n, random);
    for (const [name, gate] of Object.entries(GATES)) {
      const { result, looks: taken } = decide(looks, gate, margin ?? -population.truth.difference);
      if (result === 'pass' || result === 'fail') tallies[name][result] += 1 / pairs;
      tallies[name].looks += taken / pairs;
    }
  }
  return { truth: population.truth.difference, ...tallies };
}

parentPort.on('message', (cell) => parentPort.postMessage(simulateCell(cell)));
