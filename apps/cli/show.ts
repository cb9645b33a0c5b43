import type { Run } from '#lib/contracts/run';

/** Columns of equal width. */
export function table(rows: string[][]): string {
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ').trimEnd()).join('\n');
}

const BAR = 30;
export function progressLines(run: Run): string[] {
  const width = Math.max(...run.targets.map((target) => target.target.length));
  return run.targets.map(({ target, total, settled, errored }) => {
    const filled = Math.round((BAR * settled) / Math.max(1, total));
    return `${target.padEnd(width)}  ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}  ${settled}/${total}${errored ? `  ${errored} errored` : ''}`;
  });
}

const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)} %`);

/** The models of a run, the best first. */
export function leaderboard(run: Run): string {
  const summaries = [...run.summaries].sort((a, b) => (b.overall ?? -1) - (a.overall ?? -1));
  return table([
    ['', 'model', 'overall', '95 % interval', 'passed', 'tool', 'parameters', 'errored', 'p50', 'cost'],
    ...summaries.map((s, index) => [
      String(index + 1), s.target, percent(s.overall), s.overall_ci ? `${percent(s.overall_ci[0])} to ${percent(s.overall_ci[1])}` : '-', `${s.passed}/${s.scored}`,
      percent(s.tool_accuracy), percent(s.param_accuracy), String(s.errored), s.latency_ms.p50 === null ? '-' : `${s.latency_ms.p50} ms`, s.cost_usd === null ? '-' : `$${s.cost_usd.toFixed(4)}`,
    ]),
  ]);
}
