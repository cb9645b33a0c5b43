// How close each search strategy comes to the best configuration, and its cost: on random response surfaces with one
// noisy sample per case.
//   node bench/tuner/run.mjs [--seeds 60]
import { parseArgs } from 'node:util';
import { adaptive } from '#lib/param-tune/search/adaptive';
import { planAdaptive } from '#lib/param-tune/search/adaptive-plan';
import { ArmScores } from '#lib/param-tune/search/arm-scores';
import { findingOf, measure, trialsOf } from '#lib/param-tune/search/finalists';
import { grid } from '#lib/param-tune/search/grid';
import { random } from '#lib/param-tune/search/random';
import { percent, table } from '../statistics/tables.mjs';
import { ARMS, CASES, searchMany } from './surface.ts';

const { values: options } = parseArgs({ options: { seeds: { type: 'string', default: '60' } } });
const seeds = Number(options.seeds);
if (!(seeds >= 1)) throw new Error('--seeds is the number of surfaces, such as 60.');
const plan = planAdaptive({ arms: ARMS, cases: CASES });

const WAYS = {
  adaptive: (space) => adaptive(space, plan),
  grid,
  'grid, one sample': oneSample,
  'a random third': (space) => random(space, Math.round(ARMS / 3)),
};

/** Common practice by hand: every arm once on every case, and the best mean wins. */
function* oneSample({ arms, cases, samples }) {
  const scores = new ArmScores(cases);
  const all = arms.map((_, arm) => arm);
  yield* measure(scores, trialsOf(all, { rung: 'all', from: 0, to: cases, samples }));
  return findingOf(scores, all, ['all']);
}

for (const interactions of [0.08, 0.3]) {
  const rows = Object.entries(WAYS).map(([name, way]) => {
    const { requests, loss, near, flattered } = searchMany(way, interactions, seeds);
    return [name, percent(requests, 0), loss.toFixed(4), percent(near, 0), flattered.toFixed(4)];
  });
  table(
    `Interactions of ${interactions} logits; ${seeds} surfaces of ${ARMS} arms and ${CASES} cases`,
    ['search', 'requests, of the grid', 'mean true loss', 'within a point of the best', 'its mean minus the truth'],
    rows,
  );
}
