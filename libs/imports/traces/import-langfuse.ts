import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { parseIfJson } from './chat-messages.js';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readRecords } from '../source/read-lines.js';
import { TraceCases } from './trace-cases.js';
import type { Warnings } from '../source/warnings.js';

const WORDS = {
  records: 'Observations and traces',
  recording:
    'Export observations with their "input" and "output" (in the API\'s second version ' +
    '"fields=core,basic,io"; the whole of a trace with GET /api/public/traces/{id}), and record ' +
    'them: a masking function, or captureInput and captureOutput, may keep them out.',
};

/**
 * Imports observations in the shapes of Langfuse's page, its API and its export to blob storage. They may stand alone
 * or within their traces.
 */
export async function importLangfuse({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const cases = new TraceCases(settings, warnings, WORDS);
  let found = 0;
  for await (const { line, value } of readRecords(text, 'the file')) {
    for (const one of observationsIn(value)) {
      if (typeof one.id !== 'string') continue;
      found++;
      if (typeof one.type !== 'string' || one.type.toUpperCase() !== 'GENERATION') {
        cases.skip();
        continue;
      }
      const trace = one.traceId ?? one.trace_id;
      const source =
        `langfuse${typeof trace === 'string' ? ` trace ${trace.slice(0, 100)}` : ''} observation ` +
        `${one.id.slice(0, 100)}`;
      cases.add({ line, source, ...inputOf(one), reply: outputOf(parseIfJson(one.output)) });
    }
  }
  if (found === 0)
    throw new ProblemError(
      422,
      'The file holds no observations: those of Langfuse have an "id", a "type", an "input" and an "output".',
    );
  return cases.draft('Imported traces');
}

/** The observations in an observation, a page of the API, or a trace. */
function observationsIn(value: JsonObject): JsonObject[] {
  const list = [value.data, value.observations].find((one) => Array.isArray(one) && one.some(isObject)) as
    Json[] | undefined;
  return list
    ? list.filter(isObject).flatMap((one) => (Array.isArray(one.observations) ? observationsIn(one) : [one]))
    : [value];
}

/** The input is either the messages alone or a request body that contains them. */
function inputOf(observation: JsonObject): { messages: Json | undefined; tools: Json | undefined } {
  const input = parseIfJson(observation.input);
  const metadata = parseIfJson(observation.metadata);
  const beside = [
    isObject(metadata) ? metadata.tools : undefined,
    definitionsIn(observation.toolDefinitions ?? observation.tool_definitions),
  ];
  const body = isObject(input) ? input : {};
  const messages = [body.messages, body.input, body.prompt].find((one) => one !== undefined);
  const asked = isObject(input) && messages !== undefined ? parseIfJson(messages) : (input ?? undefined);
  const system = parseIfJson(body.system);
  return {
    messages:
      system !== undefined && system !== null && Array.isArray(asked)
        ? [{ role: 'system', content: system }, ...asked]
        : asked,
    tools: [body.tools, body.functions, ...beside].find(
      (one) => Array.isArray(parseIfJson(one)) && (parseIfJson(one) as Json[]).length > 0,
    ),
  };
}

/** Langfuse stores tool definitions by the tool's name. Each is the JSON of a description and parameters. */
function definitionsIn(given: Json | undefined): Json | undefined {
  const definitions = parseIfJson(given);
  if (!isObject(definitions)) return definitions;
  return Object.entries(definitions).map(([name, definition]): Json => {
    const read = parseIfJson(definition);
    return { ...(isObject(read) && read), name };
  });
}

/** The message of a reply. The output may also be a whole completion. */
function outputOf(output: Json | undefined): Json | undefined {
  const choices = isObject(output) ? output.choices : undefined;
  const first = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(first) ? first : output;
}
