// Coverage of 95 % intervals, and how often they show a difference between identical systems: ours, plain t and the
// percentile bootstrap on the same simulated runs.
//   node bench/statistics/run.mjs [--pairs 2000]
import { parseArgs } from 'node:util';
import { pairedInterval } from '#lib/scoring/statistics/paired';
import { inWorkers } from './in-workers.mjs';
import { binomialChances } from './simulate.ts';
import { count, percent, table } from './tables.mjs';

const { values: options } = parseArgs({ options: { pairs: { type: 'string', default: '2000' } } });
const pairs = Number(options.pairs);
if (!(pairs >= 1)) throw new Error('--pairs is the number of pairs of runs in a cell, such as 300.');
/** Factor for the pairs of cells that are run again. */
const AGAIN = 10;
/** The bootstrap takes far longer than everything else, so it is run for one pair of this many. */
const bootstrapEvery = 4;

const METHODS = { ours: 'ours', t: 'plain t', bootstrap: 'percentile bootstrap', wilson: 'Wilson' };
const SCORES = ['pass/fail', 'graded by sample', 'graded by case'];
const EFFECTS = ['identical', 'worse everywhere', 'one in 20 broken'];
const SIZES = [10, 20, 50, 100, 200, 500, 1000];
const grid = [];
for (const rate of [0.5, 0.8, 0.9, 0.95, 0.99])
  for (const correlation of [0.3, 0.8])
    for (const scores of SCORES)
      for (const effect of EFFECTS)
        for (const samples of [1, 5])
          for (const n of SIZES)
            grid.push({ rate, correlation, scores, effect, samples, n, pairs, bootstrapEvery, seed: grid.length + 1 });

const simulate = (cells) => inWorkers(cells, new URL('cell.mjs', import.meta.url));

const quantile = (values, q) => values.toSorted((a, b) => a - b)[Math.round(q * (values.length - 1))];
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** The coverage of a method over the cells: its quantiles, 0 being the worst. */
function coverage(cells, kind, method, quantiles) {
  const covered = cells.flatMap((cell) => cell[kind][method]?.covered ?? []);
  return covered.length === 0 ? '-' : quantiles.map((q) => percent(quantile(covered, q))).join(', ');
}
/** How much wider our interval is than plain t, where that has a width. */
const width = (cells, kind) =>
  quantile(
    cells.flatMap(({ [kind]: { ours, t } }) => (t.width > 0 ? ours.width / t.width : [])),
    0.5,
  ).toFixed(2);

/**
 * The worst of many cells looks worse than it is, so it is run again with new seeds and more pairs. @returns ours,
 * covered
 */
async function againOf(groups, kind) {
  const chosen = groups.map((cells) =>
    cells.toSorted((a, b) => a[kind].ours.covered - b[kind].ours.covered).slice(0, 5),
  );
  const again = await simulate(
    chosen.flat().map((cell) => ({ ...cell, pairs: pairs * AGAIN, bootstrapEvery: 0, seed: cell.seed + grid.length })),
  );
  return chosen.map((cells) => Math.min(...again.splice(0, cells.length).map((cell) => cell[kind].ours.covered)));
}

/** A row for each group of cells, a column for each method. */
async function printGroups(title, groups, kind, methods) {
  const again = await againOf(
    groups.map(([, cells]) => cells),
    kind,
  );
  const isPaired = kind === 'paired';
  const calledSame = (cells) => {
    const shares = cells.filter(({ effect }) => effect !== 'identical').map(({ same }) => same);
    return shares.length === 0 ? '-' : [1, 0.5].map((q) => percent(quantile(shares, q))).join(', ');
  };
  const side = (cells, of) => percent(mean(cells.map((cell) => cell[kind].ours[of])));
  table(
    title,
    [
      'runs',
      'cells',
      ...methods.map((method) => METHODS[method]),
      'ours under 94 %',
      'worst of ours again',
      'ours below the truth',
      'above',
      ...(isPaired ? ['called the same'] : []),
    ],
    groups.map(([name, cells], index) => [
      name,
      cells.length,
      ...methods.map((method) => coverage(cells, kind, method, [0, 0.5])),
      cells.filter((cell) => cell[kind].ours.covered < 0.94).length,
      percent(again[index]),
      side(cells, 'below'),
      side(cells, 'above'),
      ...(isPaired ? [calledSame(cells)] : []),
    ]),
  );
}

function printBy(title, name, cells, kind, methods, groups) {
  const rows = groups.map(([label, belongs]) => [label, cells.filter(belongs)]).filter(([, mine]) => mine.length > 0);
  table(
    title,
    [name, 'cells', ...methods.map((method) => METHODS[method]), 'width of ours : plain t'],
    rows.map(([label, mine]) => [
      label,
      mine.length,
      ...methods.map((method) => coverage(mine, kind, method, [0, 0.5, 1])),
      width(mine, kind),
    ]),
  );
}

/** When every changed case gets worse: the exact coverage for every tenth of a case that changes on average. */
function printOneWay() {
  const sizes = [20, 50, 100, 200, 1000];
  const bands = [
    [0.1, 3],
    [3, 8],
    [8, 15],
    [15, 30],
  ];
  const columns = sizes.map((n) => {
    const intervals = Array.from({ length: n + 1 }, (_, k) =>
      pairedInterval(Float64Array.from({ length: n }, (_, i) => (i < k ? -1 : 0))),
    );
    const at = (expected) => {
      const missed = { below: 0, above: 0 };
      binomialChances(n, expected / n).forEach((chance, k) => {
        const [low, high] = intervals[k].ci;
        if (low > -expected / n) missed.above += chance;
        else if (high < -expected / n) missed.below += chance;
      });
      return missed;
    };
    return bands.map(([from, to]) => {
      if (to > 0.8 * n) return '-';
      const all = Array.from({ length: Math.round((to - from) * 10) + 1 }, (_, tenth) => at(from + tenth / 10));
      const covered = all.map(({ below, above }) => 1 - below - above);
      const worst = (side) => percent(Math.max(...all.map((missed) => missed[side])));
      const range = `${percent(Math.min(...covered))} to ${percent(Math.max(...covered))}`;
      return `${range} (${worst('above')}, ${worst('below')})`;
    });
  });
  table(
    'Every change goes one way (pass/fail, one sample, exact): coverage of ours, and in brackets the most intervals ' +
      'that show less change than in truth, and more.',
    ['cases that change, on average', ...sizes.map((n) => `${n} cases`)],
    bands.map(([from, to], band) => [`${from} to ${to}`, ...columns.map((column) => column[band])]),
  );
}

const start = performance.now();
const error = (n) => percent(Math.sqrt((0.95 * 0.05) / n), 2);
console.log(
  `${count(grid.length)} cells of ${count(pairs)} pairs of runs. The simulation error (one standard error) of a ` +
    `coverage of 95 % is ${error(pairs)} in a cell, ${error(pairs * AGAIN)} where cells are run again, and ` +
    `${error(pairs / bootstrapEvery)} with the bootstrap, which sees every fourth pair.`,
);
const cells = await simulate(grid);
const bySize = SIZES.map((n) => [n, (cell) => cell.n === n]);
const byChanged = [
  ['fewer than 1', 0, 1],
  ['1 to 3', 1, 3],
  ['3 to 10', 3, 10],
  ['10 to 30', 10, 30],
  ['30 and more', 30, Infinity],
].map(([label, from, to]) => [label, ({ changed }) => changed >= from && changed < to]);

const paired = ['ours', 't', 'bootstrap'];
await printGroups(
  'The difference of two runs: worst and median coverage. Between identical systems, the rest are false alarms. ' +
    'Else B is worse, so that an interval above the truth shows less change than there is; and how often (worst and ' +
    'median) they are called the same at a margin of the true difference, which should be 5 % at most.',
  EFFECTS.flatMap((effect) =>
    SCORES.map((scores) => [
      `${effect}, ${scores}`,
      cells.filter((cell) => cell.effect === effect && cell.scores === scores),
    ]),
  ),
  'paired',
  paired,
);
const quantiles = 'worst, median and highest coverage.';
printBy(`The difference of two runs, by cases: ${quantiles}`, 'cases', cells, 'paired', paired, bySize);
const changed = 'cases that differ, on average';
printBy(`The difference of two runs, by ${changed}: ${quantiles}`, changed, cells, 'paired', paired, byChanged);
printOneWay();
const alone = cells.filter((cell) => cell.alone);
await printGroups(
  'One run alone: worst and median coverage.',
  SCORES.map((scores) => [scores, alone.filter((cell) => cell.scores === scores)]),
  'alone',
  [...paired, 'wilson'],
);
printBy(`One run alone, by cases: ${quantiles}`, 'cases', alone, 'alone', [...paired, 'wilson'], bySize);
console.log(`\n${Math.round((performance.now() - start) / 1000)} s.`);
