import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { faultOfJson, parseIfJson } from './json-text.js';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readRecords } from '../source/read-lines.js';
import { TraceCases, type ModelCall } from './trace-cases.js';
import type { Warnings } from '../source/warnings.js';

const LANGFUSE_TERMS = {
  records: 'Observations and traces',
  recording:
    'Export observations with their "input" and "output" (in the API\'s second version ' +
    '"fields=core,basic,io"; the whole of a trace with its endpoint for one trace), and record ' +
    'them: a masking function, or captureInput and captureOutput, may keep them out.',
  none: 'The file holds no observations: those of Langfuse have an "id", a "type", an "input" and an "output".',
};

/**
 * Imports observations in the shapes of Langfuse's page, its API and its export to blob storage, alone or within their
 * traces.
 */
export async function importLangfuse({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const cases = new TraceCases(settings, warnings, LANGFUSE_TERMS);
  for await (const { line, value } of readRecords(text, 'the file')) {
    for (const one of observationsIn(value)) {
      if (typeof one.id !== 'string') continue;
      const isCall = typeof one.type === 'string' && one.type.toUpperCase() === 'GENERATION';
      cases.add(isCall ? { line, ...toModelCall(one, one.id) } : undefined);
    }
  }
  return cases.draft();
}

function toModelCall(one: JsonObject, id: string): Omit<ModelCall, 'line'> {
  const trace = one.traceId ?? one.trace_id;
  const inTrace = typeof trace === 'string' ? ` trace ${trace.slice(0, 100)}` : '';
  const failure = failureOf(one);
  return {
    source: `langfuse${inTrace} observation ${id.slice(0, 100)}`,
    request: one.input,
    reply: one.output,
    tools: toolsInFields(one),
    ...(failure !== undefined && { fault: `the call failed${failure && `: ${failure.slice(0, 200)}`}` }),
  };
}

/** Langfuse's description of a failed call. */
function failureOf({ level, statusMessage, status_message: snake }: JsonObject): string | undefined {
  return typeof level === 'string' && level.toUpperCase() === 'ERROR'
    ? toText(statusMessage ?? snake ?? '')
    : undefined;
}

/** The observations in an observation, a page of the API, or a trace. */
function observationsIn(value: JsonObject): JsonObject[] {
  const list = [value.data, value.observations].find((one) => Array.isArray(one) && one.some(isObject)) as
    Json[] | undefined;
  return list
    ? list.filter(isObject).flatMap((one) => (Array.isArray(one.observations) ? observationsIn(one) : [one]))
    : [value];
}

/** The tools of a request are in the request, in the metadata, or in a separate field. */
function toolsInFields({ metadata: given, toolDefinitions, tool_definitions }: JsonObject): Json | undefined {
  const metadata = parseIfJson(given);
  return [
    isObject(metadata) ? parseIfJson(metadata.tools) : undefined,
    definitionsIn(toolDefinitions ?? tool_definitions),
  ].find((one) => Array.isArray(one) && one.length > 0);
}

/** Langfuse stores tool definitions by the tool's name. Each is the JSON of a description and parameters. */
function definitionsIn(given: Json | undefined): Json | undefined {
  const definitions = parseIfJson(given);
  if (!isObject(definitions)) return definitions;
  return Object.entries(definitions).map(([name, definition]): Json => {
    const read = parseIfJson(definition);
    // A truncated definition stays a string.
    return typeof read === 'string' && faultOfJson(read) !== undefined ? read : { ...(isObject(read) && read), name };
  });
}
