import { toText, isObject, parseJson, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readRecords } from '../source/read-lines.js';
import { toModelCall, type SpanRecord } from './span-record.js';
import { TraceCases } from './trace-cases.js';
import type { Warnings } from '../source/warnings.js';

const OTLP_TERMS = {
  records: 'Spans',
  recording:
    'Instrumentations record content only on request: ' +
    'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true (span_only or span_and_event where ' +
    'OTEL_SEMCONV_STABILITY_OPT_IN is gen_ai_latest_experimental); TRACELOOP_TRACE_CONTENT=true of ' +
    'OpenLLMetry; OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS of OpenInference unset. ' +
    'Where it goes into logs, put their lines into the same file.',
  none:
    'The file holds no spans: OTLP/JSON is {"resourceSpans": [{"scopeSpans": [{"spans": ' +
    '[...]}]}]}, one object or one per line.',
};

interface Span extends SpanRecord {
  line: number;
  source: string;
  /** Whether the file contains the span itself, not only its logs. */
  isSeen: boolean;
}

/** Imports OTLP/JSON spans and the log records that belong to them. It also reads spans as SDKs print them. */
export async function importOtlp({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const cases = new TraceCases(settings, warnings, OTLP_TERMS);
  const spans = new Map<string, Span>();
  const spanOf = (line: number, value: JsonObject): Span => {
    const [trace, span] = readSpanIds(value);
    const key = span ? `${trace} ${span}` : `line ${line} of ${spans.size}`;
    const made = spans.get(key) ?? {
      line,
      source: `otlp${trace && ` trace ${trace}`}${span && ` span ${span}`}`,
      attributes: [],
      events: [],
      isSeen: false,
    };
    spans.set(key, made);
    return made;
  };
  for await (const { line, value } of readRecords(text, 'the file')) {
    for (const one of spansIn(value)) {
      const span = spanOf(line, one);
      if (span.isSeen) continue; // Exporters resend unacknowledged spans.
      span.isSeen = true;
      span.attributes = readAttributes(one.attributes);
      span.events.push(...readEvents(one.events));
      span.failure = readFailure(one);
      span.dropped = {
        attributes: toNumber(one.droppedAttributesCount) || 0,
        events: toNumber(one.droppedEventsCount) || 0,
      };
    }
    for (const record of logsIn(value)) {
      const attributes = Object.fromEntries(readAttributes(record.attributes));
      const name = record.eventName ?? attributes['event.name'];
      if (typeof name !== 'string' || !name.startsWith('gen_ai.') || !readSpanIds(record)[1]) continue;
      spanOf(line, record).events.push({
        name,
        attributes,
        ...(isObject(record.body) && { body: anyValue(record.body) }),
      });
    }
  }
  for (const { line, source, ...span } of spans.values()) {
    const call = toModelCall(span);
    cases.add(call && { line, source, ...call });
  }
  return cases.draft();
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const objectsIn = (holders: JsonObject[], ...keys: string[]): JsonObject[] =>
  holders.flatMap((holder) => keys.flatMap((key) => listOf(holder[key]).filter(isObject)));

/** The spans of an export, of Tempo's `batches`, or a single span that an SDK printed. */
function spansIn(value: JsonObject): JsonObject[] {
  if (isObject(value.context) || typeof value.spanId === 'string') return [value];
  return objectsIn(
    objectsIn(objectsIn([value], 'resourceSpans', 'batches'), 'scopeSpans', 'instrumentationLibrarySpans'),
    'spans',
  );
}
const logsIn = (value: JsonObject): JsonObject[] =>
  objectsIn(objectsIn(objectsIn([value], 'resourceLogs'), 'scopeLogs'), 'logRecords');

/** Returns the trace id and the span id. */
export function readSpanIds(value: JsonObject): [string, string] {
  const context = isObject(value.context) ? value.context : {};
  const text = (...ids: (Json | undefined)[]): string =>
    ((ids.find((id) => typeof id === 'string') as string | undefined) ?? '').slice(0, 100);
  return [
    text(value.traceId, value.trace_id, context.trace_id, context.traceId),
    text(value.spanId, value.span_id, context.span_id, context.spanId),
  ];
}

/** A span's failure, or undefined. SDKs print the status as a word, and so does Phoenix. */
export function readFailure({ status: given, status_code, status_message }: JsonObject): string | undefined {
  const status = isObject(given) ? given : { code: status_code ?? null, message: status_message ?? null };
  const code = status.code ?? status.status_code ?? status.statusCode ?? null;
  const isError = code === 2 || (typeof code === 'string' && /^(?:2|(?:STATUS_CODE_|StatusCode\.)?ERROR)$/i.test(code));
  const message = status.message ?? status.description;
  return isError ? (typeof message === 'string' ? message : '') : undefined;
}

/** Reads attributes from OTLP's list of keys and values, or from an object. */
export function readAttributes(attributes: Json | undefined): [string, Json][] {
  if (isObject(attributes)) return Object.entries(attributes);
  return listOf(attributes).flatMap((one) =>
    isObject(one) && typeof one.key === 'string' && isObject(one.value)
      ? [[one.key, anyValue(one.value)] as [string, Json]]
      : [],
  );
}

export const readEvents = (events: Json | undefined): SpanRecord['events'] =>
  listOf(events)
    .filter(isObject)
    .map((event) => ({
      name: toText(event.name ?? ''),
      attributes: Object.fromEntries(readAttributes(event.attributes)),
    }));

/** Reads OTLP's AnyValue, in which an integer may be a string. */
function anyValue(value: JsonObject): Json {
  const of = (name: string): Json | undefined => value[`${name}Value`] ?? value[`${name}_value`];
  const [list, pairs] = [of('array'), of('kvlist')];
  if (isObject(list)) return listOf(list.values).map((one) => (isObject(one) ? anyValue(one) : null));
  if (isObject(pairs)) return Object.fromEntries(readAttributes(pairs.values));
  const whole = of('int');
  if (typeof whole === 'string' && /^-?(?:0|[1-9]\d{0,18})$/.test(whole)) return parseJson(whole);
  return of('string') ?? of('bool') ?? whole ?? of('double') ?? null;
}
