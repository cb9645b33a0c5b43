import { metricName, type RunMetric } from '#lib/contracts/metric';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import { TOKEN_PARTS } from '#lib/contracts/token-counts';
import { CONVERSATION_FIGURES } from '#lib/contracts/values/conversations';
import { tagsCell } from '#lib/imports/files/csv-suite';
import { BYTE_ORDER_MARK, type ResultWriter, type WriterOptions } from './result-writer.js';

type Column = [name: string, value: (result: Result, run: Run) => string | number | boolean | null];
const CSV_COLUMNS: Column[] = [
  ['id', (r) => r.id],
  ['target', (r) => r.target],
  ['case_id', (r) => r.case_id],
  ['case_name', (r) => r.case_name],
  ['category', (r) => r.category],
  ['prompt', (r) => r.prompt],
  ['sample', (r) => r.sample],
  ['outcome', (r) => (r.unmatched ? 'unmatched' : r.outcome)],
  ['passed', (r) => r.passed],
  ['tool_score', (r) => r.tool_score],
  ['param_score', (r) => r.param_score],
  ['overall', (r) => r.overall],
  ['error_type', (r) => r.error_type],
  ['format_compliance', (r) => r.format_compliance],
  ['expected', (r) => JSON.stringify(r.expected)],
  ['called', (r) => JSON.stringify(r.called)],
  ['latency_ms', (r) => r.latency_ms],
  ['prompt_tokens', (r) => r.usage.prompt_tokens],
  ['completion_tokens', (r) => r.usage.completion_tokens],
  ['cost_usd', (r) => r.cost_usd],
  ['attempts', (r) => r.attempts],
  ['error_kind', (r) => r.error?.kind ?? null],
  ['error_message', (r) => r.error?.message ?? null],
  ['settled_at', (r) => r.settled_at],
  ['tool_choice_used', (r) => r.tool_choice_used],
];
/** They follow the metrics, so that no earlier column moves for clients that read by position. */
const LAST_COLUMNS: Column[] = [
  ['syntax', (r) => r.syntax],
  ['tags', (r) => tagsCell(r.tags)],
  ['suite_version', (_r, run) => run.suite.version],
  ['source', (r) => r.source],
  ['cached', (r) => r.cached],
  ['finish_reason', (r) => r.evidence?.finish_reason ?? null],
  ...TOKEN_PARTS.map((name): Column => [name, (r) => r.usage[name]]),
  ['cost_reported', (r) => r.cost_reported],
  ['note', (r) => r.note?.text ?? null],
];
/** Column names that a run's metrics may not use. */
export const CSV_NAMES: ReadonlySet<string> = new Set([...CSV_COLUMNS, ...LAST_COLUMNS].map(([name]) => name));

const scoreColumn = (name: string): Column => [
  name,
  ({ metrics }) => (Object.hasOwn(metrics, name) ? (metrics[name]!.score as number | null) : null),
];

const metricColumns = (run: Run): Column[] =>
  (run.config.metrics as unknown as RunMetric[]).map(metricName).map(scoreColumn);

/** A cell by RFC 4180. A leading apostrophe keeps spreadsheets from reading a text as a formula. */
function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Marks the last row, which shows that the file is complete, and its number of results. */
const END = '#end';

export function csvWriter(run: Run, { hasMark, hasEnd }: WriterOptions): ResultWriter {
  const metrics = metricColumns(run);
  // A metric of an earlier run may have the name of a column that was added later.
  const isFree = ([name]: Column): boolean => !metrics.some(([metric]) => metric === name);
  const figures = run.suite.has_conversations ? CONVERSATION_FIGURES.map(scoreColumn) : [];
  const columns = [...CSV_COLUMNS, ...metrics, ...[...LAST_COLUMNS, ...figures].filter(isFree)];
  const row = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;
  return {
    head: `${hasMark ? BYTE_ORDER_MARK : ''}${row(columns.map(([name]) => name))}`,
    write: (result) => row(columns.map(([, valueOf]) => cell(valueOf(result, run)))),
    foot: (count) => (hasEnd ? row(columns.map((_column, index) => [END, String(count)][index] ?? '')) : ''),
  };
}
