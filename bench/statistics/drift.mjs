// How often a gate takes added samples for drifted where nothing changed, what that does to its wrong answers, and how
// often it notices that the baseline's provider got worse.
//   node bench/statistics/drift.mjs [--pairs 2000]
import { parseArgs } from 'node:util';
import { inWorkers } from './in-workers.mjs';
import { count, percent, table } from './tables.mjs';

const { values: options } = parseArgs({ options: { pairs: { type: 'string', default: '2000' } } });
const pairs = Number(options.pairs);
if (!(pairs >= 1)) throw new Error('--pairs is the number of pairs of systems in a cell, such as 300.');

const MARGIN = 0.03;
const RATES = [0.5, 0.8, 0.9, 0.95];
const SIZES = [20, 55, 100, 300, 1000];
const CORRELATIONS = [0.3, 0.8];
const LOSSES = [0.05, 0.1, 0.3];
const STEADY = [
  { name: 'equal', effect: 'identical', margin: MARGIN, wrong: 'fail' },
  { name: 'worse everywhere by the margin', effect: 'worse everywhere', loss: MARGIN, wrong: 'pass' },
  { name: 'broken cases make the margin', effect: 'some broken', loss: MARGIN, wrong: 'pass' },
];

const grid = [];
for (const rate of RATES)
  for (const correlation of CORRELATIONS)
    for (const n of SIZES) {
      const at = { rate, correlation, n, pairs };
      for (const system of STEADY) grid.push({ what: 'steady', ...at, ...system, seed: grid.length + 1 });
      for (const loss of LOSSES)
        if (loss < rate) grid.push({ what: 'drift', ...at, effect: 'worse everywhere', loss, seed: grid.length + 1 });
    }

const highest = (cells, of) => percent(Math.max(...cells.map(of)), 2);
const range = (cells, of) => {
  const shares = cells.map(of);
  return `${percent(Math.min(...shares), 0)} to ${percent(Math.max(...shares), 0)}`;
};

const start = performance.now();
console.log(
  `${count(grid.length)} cells of ${count(pairs)} pairs of systems, margin ${percent(MARGIN, 0)}, looks after 1, 2, ` +
    `4 and 8 samples. The simulation error (one standard error) of a share of 1 % is ` +
    `${percent(Math.sqrt((0.01 * 0.99) / pairs), 2)}.`,
);
const cells = await inWorkers(grid, new URL('drift-cell.mjs', import.meta.url));
const steady = (name, more = () => true) =>
  cells.filter((cell) => cell.what === 'steady' && cell.name === name && more(cell));

table(
  'Nothing drifted: the highest share of gate runs that find a drift, and of wrong answers with the test and without.',
  ['systems', 'a drift is found', 'wrong is', 'with the test', 'without'],
  STEADY.map(({ name, wrong }) => [
    name,
    highest(steady(name), (cell) => cell.alarms),
    wrong,
    highest(steady(name), (cell) => cell.tested[wrong]),
    highest(steady(name), (cell) => cell.pooled[wrong]),
  ]),
);
table(
  'Nothing drifted, equal systems: the highest share of gate runs that find a drift, by cases.',
  ['pass rate', ...SIZES.map((n) => `${n} cases`)],
  RATES.map((rate) => [
    percent(rate, 0),
    ...SIZES.map((n) =>
      highest(
        steady('equal', (cell) => cell.rate === rate && cell.n === n),
        (cell) => cell.alarms,
      ),
    ),
  ]),
);
const ADDED = [1, 3, 7];
table(
  'The provider got worse after the first sample of each case: the range of the share that is noticed, over all pass ' +
    'rates and correlations. One model, samples added to both sides.',
  ['loss', 'samples added', ...SIZES.map((n) => `${n} cases`)],
  LOSSES.flatMap((loss) =>
    ADDED.map((added) => [
      `${loss * 100} points`,
      added,
      ...SIZES.map((n) =>
        range(
          cells.filter((cell) => cell.what === 'drift' && cell.loss === loss && cell.n === n),
          (cell) => cell.noticed[added],
        ),
      ),
    ]),
  ),
);
console.log(`\n${Math.round((performance.now() - start) / 1000)} s`);
