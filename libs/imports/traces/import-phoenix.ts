import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { parseIfJson } from './json-text.js';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readAttributes, readEvents, readFailure, readSpanIds } from './import-otlp.js';
import { readRecords } from '../source/read-lines.js';
import { toModelCall } from './span-record.js';
import { TraceCases } from './trace-cases.js';
import type { Warnings } from '../source/warnings.js';

const PHOENIX_TERMS = {
  records: 'Spans',
  recording:
    'OpenInference records what was said unless OPENINFERENCE_HIDE_INPUTS, ' +
    'OPENINFERENCE_HIDE_OUTPUTS, or those of messages and texts, are set: unset them. Of a data ' +
    'frame, export the columns "attributes.llm.*" too.',
  none:
    'The file holds no spans: those of Phoenix have a "span_kind", and "attributes" or columns ' +
    '"attributes.llm.input_messages" and so on.',
};

/** Imports spans from Phoenix's API, its command line, or a data frame of its client. */
export async function importPhoenix({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const cases = new TraceCases(settings, warnings, PHOENIX_TERMS);
  for await (const { line, value } of readRecords(text, 'the file')) {
    for (const row of rowsIn(value)) {
      if (!('span_kind' in row) && !('attributes' in row)) continue;
      const [trace, span] = readSpanIds({
        ...row,
        traceId: row['context.trace_id'] ?? row.trace_id ?? null,
        spanId: row['context.span_id'] ?? row.span_id ?? null,
      });
      const columns = Object.entries(row).flatMap(([key, inner]): [string, Json][] =>
        key.startsWith('attributes.') ? [[key.slice('attributes.'.length), inner]] : [],
      );
      const kind: [string, Json][] =
        typeof row.span_kind === 'string' ? [['openinference.span.kind', row.span_kind]] : [];
      const call = toModelCall({
        attributes: [...readAttributes(parseIfJson(row.attributes)), ...columns, ...kind],
        events: readEvents([parseIfJson(row.events) ?? []].flat()),
        failure: readFailure(row),
      });
      cases.add(call && { line, source: `phoenix${trace && ` trace ${trace}`}${span && ` span ${span}`}`, ...call });
    }
  }
  return cases.draft();
}

/**
 * The spans in a span, an API page of spans, a trace, or a data frame. Each column of a data frame holds one value per
 * row.
 */
function rowsIn(value: JsonObject): JsonObject[] {
  const list = [value.data, value.spans].find(Array.isArray);
  if (list) return list.filter(isObject).flatMap((one) => (Array.isArray(one.spans) ? rowsIn(one) : [one]));
  const { span_kind: kinds } = value;
  if (!isObject(kinds)) return [value];
  const columns = Object.entries(value).filter((column): column is [string, JsonObject] => isObject(column[1]));
  return Object.keys(kinds).map((row) =>
    Object.fromEntries([
      ['context.span_id', row] as [string, Json],
      ...columns.map(([name, values]): [string, Json] => [name, values[row] ?? null]),
    ]),
  );
}
