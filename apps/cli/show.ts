import type { Job } from '#lib/contracts/job';
import type { Run, RunTarget } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { visible } from './terminal.js';

/** Lines of columns of equal width. */
export function table(cells: string[][]): string[] {
  const rows = cells.map((row) => row.map(visible));
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** Jobs under a heading, with the runs that they carry out. What a rescore scores again is not known here. */
export function jobTable(jobs: readonly Job[], runs: ReadonlyMap<string, Run>): string[] {
  return table([
    ['job', 'type', 'status', 'done', 'score', 'suite', 'models', 'run', 'submitted', ''],
    ...jobs.map(({ id, type, status, progress, result_ref: made, created_at: at, detail, error }) => {
      const run = runs.get(made ?? '');
      const ofRun = run
        ? [percent(run.score), `${run.suite.name} v${run.suite.version}`, modelNames(run), run.id]
        : ['-', '-', '-', '-'];
      return [id, type, status, `${progress.done}/${progress.total}`, ...ofRun, at, error ?? detail ?? ''];
    }),
  ]);
}

const MOST_MODELS = 2;
function modelNames({ targets }: Run): string {
  const names = targets
    .slice(0, MOST_MODELS)
    .map(({ target }) => target)
    .join(', ');
  return targets.length > MOST_MODELS ? `${names} and ${targets.length - MOST_MODELS} more` : names;
}

const LONGEST_BAR = 30;
/** A bar for each target, within the terminal: lines that wrap or scroll away could not be drawn over. */
export function progressLines(targets: RunTarget[], columns: number, rows: number): string[] {
  const shown = (targets.length > rows ? targets.slice(0, rows - 1) : targets).map((target) => ({
    ...target,
    target: visible(target.target),
  }));
  const counts = shown.map(
    ({ settled, total, errored }) => `${settled}/${total}${errored ? `  ${errored} errored` : ''}`,
  );
  const name = Math.min(Math.max(...shown.map(({ target }) => target.length)), Math.floor(columns / 2));
  const bar = Math.max(
    0,
    Math.min(LONGEST_BAR, columns - 1 - name - 4 - Math.max(...counts.map((count) => count.length))),
  );
  const lines = shown.map(({ target, total, settled }, index) => {
    const filled = Math.floor((bar * settled) / Math.max(1, total));
    return `${target.slice(0, name).padEnd(name)}  ${'█'.repeat(filled)}${'░'.repeat(bar - filled)}  ${counts[index]}`;
  });
  return shown.length < targets.length ? [...lines, `and ${targets.length - shown.length} more`] : lines;
}

const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)} %`);

/** The models of a run, the best first, and a line for each one that was asked under another `tool_choice`. */
export function leaderboard(run: Run): string[] {
  const summaries = [...run.summaries].sort((a, b) => (b.overall ?? -1) - (a.overall ?? -1));
  const changes = new Map(
    summaries.map((summary) => [summary.target, askedOtherwise(summary, run.config.tool_choice)]),
  );
  const rows = table([
    ['', 'model', 'overall', '95 % interval', 'passed', 'tool', 'parameters', 'errored', 'p50', 'cost'],
    ...summaries.map((s, index) => [
      String(index + 1),
      `${s.target}${changes.get(s.target) ? ' *' : ''}`,
      percent(s.overall),
      s.overall_ci ? `${percent(s.overall_ci[0])} to ${percent(s.overall_ci[1])}` : '-',
      `${s.passed}/${s.scored}`,
      percent(s.tool_accuracy),
      percent(s.param_accuracy),
      String(s.errored),
      s.latency_ms.p50 === null ? '-' : `${s.latency_ms.p50} ms`,
      s.cost_usd === null ? '-' : `$${s.cost_usd.toFixed(4)}`,
    ]),
  ]);
  return [...rows, ...[...changes.values()].filter((line) => line !== '').map(visible)];
}

function askedOtherwise({ target, tool_choice_used: used }: Summary, asked: unknown): string {
  const all = Object.values(used).reduce((sum, count) => sum + count, 0);
  const others = Object.entries(used)
    .filter(([choice]) => choice !== asked)
    .map(([choice, count]) => `"${choice}" in ${count} of ${all} results`);
  return others.length
    ? `* ${target} was asked with tool_choice ${others.join(', ')} that expect a call, not "${String(asked)}".`
    : '';
}
