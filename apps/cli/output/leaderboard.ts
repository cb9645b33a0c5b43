import { cacheHitsOf } from '#lib/contracts/token-counts';
import type { Run } from '#lib/contracts/run';
import { replyNotes } from '#lib/contracts/reply-notes';
import type { Summary } from '#lib/contracts/summary';
import { CONVERSATION_FIGURES } from '#lib/contracts/values/conversations';
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
  const conversations = conversationCells(summaries);
  const metrics = [...new Set(summaries.flatMap((summary) => Object.keys(summary.metrics ?? {})))].filter(
    (name) => !CONVERSATION_FIGURES.some((figure) => figure === name),
  );
  const notes = new Map(
    summaries.map((summary) => [
      summary.target,
      // Conversations are always asked with auto: with required, none would ever end.
      conversations.length > 0 ? '' : toolChoiceNote(summary, config.tool_choice),
    ]),
  );
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
      ...metrics.map((name) => meanOf(s, name)),
    ]),
  ]);
  const methods = new Set(summaries.filter((s) => s.overall_ci).map((s) => INTERVALS[s.ci_method ?? 'bootstrap']));
  const lines = [...notes.values(), ...summaries.flatMap((summary) => replyNotes(summary, config))];
  return [
    ...rows,
    ...methods,
    ...(conversations.length > 0 ? ['', CONVERSATION_FIGURES_SAY, ...table(conversations)] : []),
    ...lines.filter((line) => line !== '').map(escapeControls),
  ];
}

const meanOf = ({ metrics }: Summary, name: string): string => metrics?.[name]?.mean?.toFixed(3) ?? '-';

/** What the figures of conversations are. */
export const CONVERSATION_FIGURES_SAY =
  'Conversations: means of conversation.calls and so on; fabricated is better when lower.';

/** Cells of the figures of conversations, in a table of their own: their names would make another one too wide. */
export function conversationCells(summaries: readonly Summary[]): string[][] {
  const figures = CONVERSATION_FIGURES.filter((name) => summaries.some(({ metrics }) => metrics?.[name]));
  if (figures.length === 0) return [];
  return [
    ['model', ...figures.map((name) => name.replace('conversation.', ''))],
    ...summaries.map((summary) => [summary.target, ...figures.map((name) => meanOf(summary, name))]),
  ];
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
