const whole = (n) => Math.round(n).toLocaleString('en');
const milliseconds = (n) => (n === Infinity ? 'over 30,000' : whole(n));
const percentile = (sorted, share) => sorted[Math.ceil(sorted.length * share) - 1];

/** Percent are of a core. */
const COLUMNS = [
  ['workers', (row) => row.workers],
  ['build', (row) => row.build],
  ['items/s', (row) => whole(row.items)],
  ['statements/s', (row) => whole(row.statements)],
  ['transactions/s', (row) => whole(row.transactions)],
  ['Postgres CPU', (row) => `${whole(row.postgresCpu)} %`],
  ['its connections', (row) => whole(row.postgresConnections)],
  ['commands/s', (row) => whole(row.commands)],
  ['Redis CPU', (row) => `${whole(row.redisCpu)} %`],
  ['its connections', (row) => whole(row.redisConnections)],
  ['notifications/s: sent', (row) => whole(row.published)],
  ['received', (row) => whole(row.received)],
  ['KB/s', (row) => whole(row.receivedKilobytes)],
  ['CPU of workers', (row) => `${whole(row.workerCpu)} %`],
  ['API', (row) => `${whole(row.apiCpu)} %`],
  ['pick-up, ms: p50', (row) => milliseconds(percentile(row.pickUpMs, 0.5))],
  ['p95', (row) => milliseconds(percentile(row.pickUpMs, 0.95))],
];
const line = (cells) => console.log(`| ${cells.join(' | ')} |`);

export function printHead() {
  line(COLUMNS.map(([name]) => name));
  line(COLUMNS.map(() => '---'));
}
export const printRow = (row) => line(COLUMNS.map(([, cell]) => cell(row)));

/** How much more a fleet costs that is twice as large. */
export function printDoublings(rows) {
  const pairs = rows.flatMap((small) =>
    rows
      .filter((large) => large.build === small.build && large.workers === 2 * small.workers)
      .map((large) => [small, large]),
  );
  if (pairs.length === 0) return;
  const measures = ['items', 'statements', 'transactions', 'postgresCpu', 'commands', 'redisCpu', 'received'];
  console.log();
  line([
    'workers',
    'build',
    'items/s',
    'statements',
    'transactions',
    'Postgres CPU',
    'commands',
    'Redis CPU',
    'received',
  ]);
  line(['---', '---', ...measures.map(() => '---')]);
  for (const [small, large] of pairs)
    line([
      `${small.workers} to ${large.workers}`,
      small.build,
      ...measures.map((of) => (large[of] / small[of]).toFixed(2)),
    ]);
}

/** What is sent most often, and what takes longest, a second, of each build in columns by workers. */
export function printTop(rows, top) {
  for (const build of new Set(rows.map((row) => row.build))) {
    const of = rows.filter((row) => row.build === build);
    const columns = of.map(({ workers }) => `${workers}`);
    console.log(`\nStatements of ${build}, calls/s and (in brackets) ms/s by workers`);
    table(
      of.map((row) => row.topStatements),
      'text',
      columns,
      top,
      ({ calls, ms }) => `${calls.toFixed(1)} (${ms.toFixed(0)})`,
    );
    console.log(`\nCommands of ${build}, calls/s by workers`);
    table(
      of.map((row) => row.topCommands),
      'name',
      columns,
      top,
      ({ calls }) => calls.toFixed(1),
    );
  }
}

function table(lists, key, columns, top, cell) {
  const weight = (name) => Math.max(...lists.map((list) => list.find((one) => one[key] === name)?.calls ?? 0));
  const time = (name) => Math.max(...lists.map((list) => list.find((one) => one[key] === name)?.ms ?? 0));
  const names = [...new Set(lists.flatMap((list) => list.map((one) => one[key])))];
  const most = (by) => names.toSorted((a, b) => by(b) - by(a)).slice(0, top);
  const shown = [...new Set([...most(weight), ...(time(names[0]) ? most(time) : [])])];
  line(['', ...columns]);
  line(['---', ...columns.map(() => '---')]);
  for (const name of shown) {
    const found = lists.map((list) => list.find((one) => one[key] === name));
    line([`\`${name.replaceAll('|', '\\|').slice(0, 110)}\``, ...found.map((one) => (one ? cell(one) : ''))]);
  }
}
