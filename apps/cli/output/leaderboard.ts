import { cacheHitsOf } from '#lib/contracts/token-counts';
import type { Run } from '#lib/contracts/run';
import { replyNotes } from '#lib/contracts/reply-notes';
import type { Summary } from '#lib/contracts/summary';
import { dollars, percent, table } from './table.js';
import { escapeControls } from './terminal.js';

/** Explains the intervals of a leaderboard. A server of an earlier release does not send the method. */
export const INTERVALS: Record<Summary['ci_method'], string> = {
  t_pseudo_cases: '95 % interval: the t interval over cases after adding two pseudo-cases, 0 and 1.',
  bootstrap: '95 % interval: a bootstrap over cases, computed by an earlier release.',
};

/**
 * The models of a run, the best first, with their intervals explained, and notes on those that ran with another
 * `tool_choice` or whose replies were cut off, refused or left in the text.
 */
export function leaderboard({ summaries: all, config }: Pick<Run, 'summaries' | 'config'>): string[] {
  const summaries = [...all].sort((a, b) => (b.overall ?? -1) - (a.overall ?? -1));
  const notes = new Map(summaries.map((summary) => [summary.target, toolChoiceNote(summary, config.tool_choice)]));
  const metrics = [...new Set(summaries.flatMap((summary) => Object.keys(summary.metrics ?? {})))];
  const hits = summaries.map(cacheHitsOf);
  const hasHits = hits.some((rate) => rate !== null && rate > 0);
  const columns = ['', 'model', 'overall', '95 % interval', 'passed', 'tool', 'parameters', 'errored', 'p50', 'cost'];
  const rows = table([
    [...columns, ...(hasHits ? ['cache hits'] : []), ...metrics],
    ...summaries.map((s, index) => [
      String(index + 1),
      `${s.target}${notes.get(s.target) ? ' *' : ''}`,
      percent(s.overall),
      s.overall_ci ? `${percent(s.overall_ci[0])} to ${percent(s.overall_ci[1])}` : '-',
      `${s.passed}/${s.scored}`,
      percent(s.tool_accuracy),
      percent(s.param_accuracy),
      String(s.errored),
      s.latency_ms.p50 === null ? '-' : `${s.latency_ms.p50} ms`,
      dollars(s.cost_usd),
      ...(hasHits ? [percent(hits[index]!)] : []),
      ...metrics.map((name) => s.metrics[name]?.mean?.toFixed(3) ?? '-'),
    ]),
  ]);
  const methods = new Set(summaries.filter((s) => s.overall_ci).map((s) => INTERVALS[s.ci_method ?? 'bootstrap']));
  const lines = [...notes.values(), ...summaries.flatMap((summary) => replyNotes(summary, config))];
  return [...rows, ...methods, ...lines.filter((line) => line !== '').map(escapeControls)];
}

function toolChoiceNote({ target, tool_choice_used: used }: Summary, asked: unknown): string {
  const all = Object.values(used).reduce((sum, count) => sum + count, 0);
  const others = Object.entries(used)
    .filter(([choice]) => choice !== asked)
    .map(([choice, count]) => `"${choice}" in ${count} of ${all} results`);
  return others.length
    ? `* ${target} ran with tool_choice ${others.join(', ')} that expect a call, not "${String(asked)}".`
    : '';
}
