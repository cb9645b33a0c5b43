import { metricName, type RunMetric } from '#lib/contracts/metric';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { ResultWriter } from './result-writer.js';

type Column = [name: string, value: (result: Result) => string | number | boolean | null];
const CSV_COLUMNS: Column[] = [
  ['id', (r) => r.id],
  ['target', (r) => r.target],
  ['case_id', (r) => r.case_id],
  ['case_name', (r) => r.case_name],
  ['category', (r) => r.category],
  ['prompt', (r) => r.prompt],
  ['sample', (r) => r.sample],
  ['outcome', (r) => r.outcome],
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
/** Behind those of the metrics, so that no column moves for who reads them by their place. */
const LAST_COLUMNS: Column[] = [['syntax', (r) => r.syntax]];
/** Names of columns, which no metric of a run may take. */
export const CSV_NAMES: ReadonlySet<string> = new Set([...CSV_COLUMNS, ...LAST_COLUMNS].map(([name]) => name));

const metricColumns = (run: Run): Column[] =>
  (run.config.metrics as unknown as RunMetric[])
    .map(metricName)
    .map((name) => [
      name,
      ({ metrics }) => (Object.hasOwn(metrics, name) ? (metrics[name]!.score as number | null) : null),
    ]);

/** A cell by RFC 4180. An apostrophe before a text keeps spreadsheets from reading it as a formula. */
function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvWriter(run: Run): ResultWriter {
  const columns = [...CSV_COLUMNS, ...metricColumns(run), ...LAST_COLUMNS];
  return {
    head: `${columns.map(([name]) => name).join(',')}\r\n`,
    write: (result) => `${columns.map(([, valueOf]) => cell(valueOf(result))).join(',')}\r\n`,
    foot: '',
  };
}
