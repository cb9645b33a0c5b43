import type { RunTarget } from '#lib/contracts/run-target';
import { escapeControls } from './terminal.js';

type TargetProgress = Pick<RunTarget, 'target' | 'settled' | 'total' | 'errored'>;

const MAX_BAR_WIDTH = 30;
/** A bar for each target that fits the terminal: lines that wrap or scroll away could not be redrawn. */
export function progressBars(targets: readonly TargetProgress[], columns: number, rows: number): string[] {
  const shown = (targets.length > rows ? targets.slice(0, rows - 1) : targets).map((target) => ({
    ...target,
    target: escapeControls(target.target),
  }));
  const counts = shown.map(
    ({ settled, total, errored }) => `${settled}/${total}${errored ? `  ${errored} errored` : ''}`,
  );
  const nameWidth = Math.min(Math.max(...shown.map(({ target }) => target.length)), Math.floor(columns / 2));
  const countWidth = Math.max(...counts.map((count) => count.length));
  const barWidth = Math.max(0, Math.min(MAX_BAR_WIDTH, columns - 1 - nameWidth - 4 - countWidth));
  const lines = shown.map(({ target, total, settled }, index) => {
    const filled = Math.floor((barWidth * settled) / Math.max(1, total));
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    return `${target.slice(0, nameWidth).padEnd(nameWidth)}  ${bar}  ${counts[index]}`;
  });
  return shown.length < targets.length ? [...lines, `and ${targets.length - shown.length} more`] : lines;
}
