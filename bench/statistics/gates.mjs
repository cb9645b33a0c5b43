// How often a gate fails a system that is not worse, and passes one that is, with looks at growing samples: with each
// look's level corrected for the number of looks, without, and with one look.
//   node bench/statistics/gates.mjs [--pairs 2000]
import { parseArgs } from 'node:util';
import { inWorkers } from './in-workers.mjs';
import { count, percent, table } from './tables.mjs';

const { values: options } = parseArgs({ options: { pairs: { type: 'string', default: '2000' } } });
const pairs = Number(options.pairs);
if (!(pairs >= 1)) throw new Error('--pairs is the number of pairs of systems in a cell, such as 300.');

const MARGIN = 0.03;
const POWER = 'worse everywhere by 10 points';
const RATES = [0.5, 0.8, 0.9, 0.95];
const SIZES = [50, 100, 300];
const SYSTEMS = [
  { name: 'equal', effect: 'identical', margin: MARGIN },
  { name: 'worse everywhere by the margin', effect: 'worse everywhere', loss: MARGIN },
  { name: 'broken cases make the margin', effect: 'some broken', loss: MARGIN },
  { name: POWER, effect: 'worse everywhere', loss: 0.1, margin: MARGIN },
];
const grid = [];
for (const rate of RATES)
  for (const correlation of [0.3, 0.8])
    for (const system of SYSTEMS)
      for (const n of SIZES)
        if (rate === 0.9 || system.name !== POWER)
          grid.push({ rate, correlation, ...system, n, pairs, seed: grid.length + 1 });

const highest = (cells, of) => percent(Math.max(...cells.map(of)));
const lowest = (cells, of) => percent(Math.min(...cells.map(of)));
const range = (cells, of) => `${lowest(cells, of)} to ${highest(cells, of)}`;

const start = performance.now();
const error = percent(Math.sqrt((0.025 * 0.975) / pairs), 2);
console.log(
  `${count(grid.length)} cells of ${count(pairs)} pairs of systems, margin ${percent(MARGIN, 0)}, looks after 1, 2, ` +
    `4 and 8 samples. The simulation error (one standard error) of a share of 2.5 % is ${error}.`,
);
const cells = await inWorkers(grid, new URL('gate-cell.mjs', import.meta.url));
const of = (name, more = () => true) => cells.filter((cell) => cell.name === name && more(cell));

const GATES = { corrected: '4 looks', uncorrected: '4 looks, uncorrected', single: '1 look' };
const names = Object.keys(GATES);
const wrong = [
  ['equal', 'fail'],
  ['worse everywhere by the margin', 'pass'],
  ['broken cases make the margin', 'pass'],
];
table(
  'Wrong answers: the highest share over the cells.',
  ['systems', 'wrong is', ...names.map((name) => GATES[name])],
  wrong.map(([name, result]) => [
    name,
    result,
    ...names.map((gate) => highest(of(name), (cell) => cell[gate][result])),
  ]),
);
const parts = [
  ...RATES.map((rate) => [percent(rate, 0), (cell) => cell.rate === rate]),
  ...SIZES.map((n) => [`${n} cases`, (cell) => cell.n === n]),
];
table(
  'Wrong answers of 4 looks, by the pass rate of the baseline and by cases: the highest share.',
  ['systems', ...parts.map(([label]) => label)],
  wrong.map(([name, result]) => [
    name,
    ...parts.map(([, belongs]) => highest(of(name, belongs), (cell) => cell.corrected[result])),
  ]),
);
table(
  'Right answers at a pass rate of 90 %: the range over both correlations, and how many looks it took on average.',
  ['systems', 'cases', 'right is', '4 looks', '1 look', 'looks'],
  [
    ['equal', 'pass'],
    [POWER, 'fail'],
  ].flatMap(([name, result]) =>
    SIZES.map((n) => {
      const mine = of(name, (cell) => cell.rate === 0.9 && cell.n === n);
      const taken = mine.map((cell) => cell.corrected.looks.toFixed(1)).join(', ');
      return [
        name,
        n,
        result,
        ...['corrected', 'single'].map((gate) => range(mine, (cell) => cell[gate][result])),
        taken,
      ];
    }),
  ),
);
console.log(`\n${Math.round((performance.now() - start) / 1000)} s`);
