import { nameOf, type RunMetric } from '#lib/contracts/metric';
import type { Result, Run } from '#lib/contracts/run';
import { ResultRepository } from '#lib/db/read/results';
import type { Page } from '#lib/contracts/page';

export const EXPORT_FORMATS = ['json', 'jsonl', 'csv', 'junit'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const CONTENT_TYPES: Record<ExportFormat, string> = {
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  junit: 'application/xml; charset=utf-8',
};

/** A run with all its results, written as it is read: memory does not grow with the run. */
export async function* exportRun(
  results: ResultRepository,
  run: Run,
  format: ExportFormat,
  rescoreId?: string,
): AsyncGenerator<string> {
  if (format === 'json') yield `{"run":${JSON.stringify(run)},"results":[`;
  const columns = [...CSV_COLUMNS, ...metricColumns(run)];
  if (format === 'csv') yield `${columns.map(([name]) => name).join(',')}\r\n`;
  if (format === 'junit') {
    const { settled: total, errored, passed } = run.counts;
    yield (
      `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(run.suite.name)}" ` +
      `tests="${total}" failures="${total - errored - passed}" errors="${errored}">\n`
    );
    yield (
      `<testsuite name="${xml(run.suite.name)}" tests="${total}" ` +
      `failures="${total - errored - passed}" errors="${errored}">\n`
    );
  }
  let cursor: string | null = null;
  let first = true;
  do {
    const page: Page<Result> = await results.list(
      run.id,
      { rescore_id: rescoreId },
      { limit: 500, cursor: cursor ?? undefined },
    );
    for (const result of page.items) {
      if (format === 'json') yield `${first ? '' : ','}\n${JSON.stringify(result)}`;
      else if (format === 'jsonl') yield `${JSON.stringify(result)}\n`;
      else if (format === 'csv') yield `${columns.map(([, value]) => cell(value(result))).join(',')}\r\n`;
      else yield testcase(result);
      first = false;
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  if (format === 'json') yield '\n]}\n';
  if (format === 'junit') yield '</testsuite>\n</testsuites>\n';
}

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
/** Names that no metric of a run may take. */
export const CSV_NAMES: ReadonlySet<string> = new Set(CSV_COLUMNS.map(([name]) => name));

const metricColumns = (run: Run): Column[] =>
  (run.config.metrics as unknown as RunMetric[])
    .map(nameOf)
    .map((name) => [
      name,
      ({ metrics }) => (Object.hasOwn(metrics, name) ? (metrics[name]!.score as number | null) : null),
    ]);

/** RFC 4180; a text that a spreadsheet would take for a formula is led by an apostrophe. */
function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function testcase(result: Result): string {
  const name = xml(result.case_name ?? result.prompt.slice(0, 200));
  const open = `<testcase classname="${xml(result.target)}" name="${name}" time="${(result.latency_ms ?? 0) / 1000}"`;
  if (result.error)
    return `${open}><error type="${result.error.kind}" message="${xml(result.error.message)}"/></testcase>\n`;
  if (result.passed) return `${open}/>\n`;
  return (
    `${open}><failure type="${result.error_type}" ` +
    `message="${xml(`overall ${result.overall}`)}">${xml(JSON.stringify({ expected: result.expected, called: result.called }))}</failure></testcase>\n`
  );
}

/** Escaped, and without the control characters that XML cannot hold. */
const xml = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
