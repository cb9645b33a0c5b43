import { isObject, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import { reasonWord } from '#lib/recorded/read-response';
import { expandAttributes, IF_CUT, type Expanded } from './attribute-tree.js';
import { faultOfJson, parseIfJson } from './json-text.js';
import type { ModelCall } from './trace-cases.js';
import { placeOfCall } from './unread-calls.js';

/** A span from any export. */
export interface SpanRecord {
  attributes: [string, Json][];
  events: { name: string; attributes: JsonObject; body?: Json }[];
  /** The span's description of its failure. */
  failure?: string | undefined;
  /** The numbers of attributes and events that the SDK dropped because of a count limit. */
  dropped?: { attributes: number; events: number };
}

/** Operations in OpenTelemetry's conventions that do not ask a model for a reply. */
const OTHERS = wordSet('embeddings execute_tool invoke_agent create_agent invoke_workflow retrieval tool rerank');
const MODEL = new Set(['chat', 'text_completion', 'generate_content', 'completion']);

/**
 * Reads a model call from a span. It supports the conventions of OpenTelemetry's GenAI (attributes since 1.37, events
 * before), OpenLLMetry, OpenInference and the AI SDK. Returns undefined if the span is not a model call.
 */
export function toModelCall(span: SpanRecord): Omit<ModelCall, 'line' | 'source'> | undefined {
  const { attributes, events } = span;
  const details = events
    .filter(({ name }) => name === 'gen_ai.client.inference.operation.details')
    .flatMap((event) => Object.entries(event.attributes));
  const expanded = expandAttributes([...attributes, ...details].filter(([key]) => isRead(key)));
  const at = (path: string): Json | undefined => expanded.at(path);
  const said = eventsOf(events);
  const system = parseIfJson(at('gen_ai.system_instructions'));
  const messages = firstPresent([
    ...['gen_ai.input.messages', 'llm.input_messages', 'gen_ai.prompt', 'llm.prompts', 'ai.prompt.messages'].map(
      (path): Found => [path, at(path)],
    ),
    ['events', said.messages],
    ['input.value', requestIn(at('input.value'))],
  ]);
  const reply = replyAmong([
    ['gen_ai.output.messages', choiceOf(at('gen_ai.output.messages'))],
    ['llm.output_messages', choicesOf(at('llm.output_messages'), at('llm.invocation_parameters'))],
    ['gen_ai.completion', at('gen_ai.completion')],
    ['llm.completions', at('llm.completions')],
    ['ai.response', replyOfSdk(at('ai.response'))],
    ['events', said.reply],
    ['output.value', at('output.value')],
  ]);
  const tools = firstPresent([
    ['gen_ai.tool.definitions', at('gen_ai.tool.definitions')],
    ['llm.tools', toolsIn(at('llm.tools'))],
    ['llm.request.functions', at('llm.request.functions')],
    ['ai.prompt.tools', at('ai.prompt.tools')],
  ]);
  const isSaid = [messages, reply].some(([path]) => path !== '' && path !== 'input.value' && path !== 'output.value');
  if (!isModelCall(at, isSaid)) return undefined;
  const list = parseIfJson(messages[1]);
  return {
    request:
      isPresent(system) && isPresent(list)
        ? [
            { role: 'system', parts: Array.isArray(system) ? system : [system!] },
            ...(Array.isArray(list) ? list : [{ role: 'user', content: list! }]),
          ]
        : list,
    reply: reply[1],
    tools: tools[1],
    finishReason: finishReasonIn(at),
    fault: faultOf(span, expanded, [messages, reply, tools, ['gen_ai.system_instructions', system]], said.fault),
  };
}

const isRead = (key: string): boolean =>
  /^(?:gen_ai|llm|openinference|ai)(?:\.|$)/.test(key) || /^(?:input|output)(?:\.value)?$/.test(key);

type Found = [path: string, value: Json | undefined];
const firstPresent = (found: Found[]): Found => found.find(([, value]) => isPresent(value)) ?? ['', undefined];

/** The first recorded reply, or another record of it that has calls which the first one lacks. */
function replyAmong(found: Found[]): Found {
  const there = found.filter(([, value]) => isPresent(value));
  if (there.length < 2) return there[0] ?? ['', undefined];
  return there.find(([, value]) => placeOfCall(parseIfJson(value)!) !== undefined) ?? there[0]!;
}

/** @param isSaid whether it has messages; any span may have an `input.value` and an `output.value` */
function isModelCall(at: Expanded['at'], isSaid: boolean): boolean {
  const kind = at('openinference.span.kind');
  const operation = at('gen_ai.operation.name');
  const sdk = at('ai.operationId');
  if (typeof kind === 'string' ? kind.toUpperCase() !== 'LLM' : typeof operation === 'string' && OTHERS.has(operation))
    return false;
  // Other spans of the AI SDK wrap the call.
  if (typeof sdk === 'string' && !/\.do(?:Generate|Stream)$/.test(sdk)) return false;
  const isNamed =
    typeof kind === 'string' ||
    MODEL.has(operation as string) ||
    at('gen_ai.request.model') !== undefined ||
    at('llm.request.type') === 'chat';
  return isNamed || isSaid;
}

/** Why the record of a call is incomplete. */
function faultOf(
  { failure, dropped }: SpanRecord,
  { faultAt }: Expanded,
  used: Found[],
  inEvents: string | undefined,
): string | undefined {
  if (failure !== undefined && isPresent(used[1]![1]))
    return `the call failed${failure && `: ${failure.slice(0, 200)}`}`;
  const usesEvents = used.some(([path]) => path === 'events');
  if (usesEvents && inEvents !== undefined) return `an event of the span ${inEvents}${IF_CUT}`;
  for (const [path] of used) {
    const fault = path === '' || path === 'events' ? undefined : faultAt(path);
    if (fault !== undefined) return fault;
  }
  if (dropped?.attributes)
    return `${dropped.attributes} attributes of its span were dropped: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT`;
  if (dropped?.events && usesEvents)
    return `${dropped.events} events of its span were dropped: raise OTEL_SPAN_EVENT_COUNT_LIMIT`;
  return undefined;
}
const isPresent = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

const replyOfSdk = (response: Json | undefined): Json | undefined =>
  isObject(response) && (isPresent(response.text) || isPresent(response.toolCalls))
    ? { role: 'assistant', content: response.text ?? null, toolCalls: ownCalls(response.toolCalls ?? null) }
    : undefined;

/** Removes the calls that the provider answered itself. */
function ownCalls(calls: Json): Json {
  const list = parseIfJson(calls)!;
  return Array.isArray(list) ? list.filter((one) => !isObject(one) || one.providerExecuted !== true) : calls;
}

/** The `input.value` of OpenInference, if it is the JSON of a request, or the start of one. */
const requestIn = (value: Json | undefined): Json | undefined =>
  typeof parseIfJson(value) !== 'string' || faultOfJson(value as string) !== undefined ? value : undefined;

/** In OpenTelemetry, each output message is a separate choice. The first is proposed, unless only others make calls. */
function choiceOf(outputs: Json | undefined): Json | undefined {
  const list = parseIfJson(outputs);
  if (!Array.isArray(list)) return list;
  const isFirst = list.length < 2 || placeOfCall(list[0]!) !== undefined || placeOfCall(list) === undefined;
  return isFirst ? list[0] : list;
}

/** OpenInference writes each item of a response as a separate message, and does the same with choices. */
function choicesOf(outputs: Json | undefined, parameters: Json | undefined): Json | undefined {
  const asked = parseIfJson(parameters);
  const isSeveral = isObject(asked) && toNumber(asked.n ?? asked.candidateCount) > 1;
  return isSeveral ? choiceOf(outputs) : outputs;
}

const REASONS = [
  'gen_ai.response.finish_reasons',
  'gen_ai.response.finish_reason',
  'ai.response.finishReason',
  'llm.finish_reason',
  'llm.response.finish_reason',
  'llm.response.stop_reason',
];

function finishReasonIn(at: Expanded['at']): Json {
  const given = REASONS.map((path) => parseIfJson(at(path))).find(isPresent);
  const words = (Array.isArray(given) ? given : [given])
    .filter((one) => typeof one === 'string')
    // Python prints a list of them as "['stop']".
    .flatMap((one) => (/^[[(]/.test(one) ? one.slice(0, 1000).split(/[^\w.-]+/) : [one]))
    .filter((one) => one !== '')
    .map(reasonWord);
  return words.find((one) => /tool|function/i.test(one)) ?? words[0] ?? null;
}

/** OpenInference stores the provider's own definition. If that is only the schema, the name is in a separate field. */
function toolsIn(tools: Json | undefined): Json | undefined {
  if (!Array.isArray(tools)) return tools;
  return tools.map((one) => {
    const tool = isObject(one) && isObject(one.tool) ? one.tool : one;
    if (!isObject(tool)) return tool;
    const schema = parseIfJson(tool.json_schema);
    if (!isObject(schema)) return tool;
    const isWhole = isObject(schema.function) || typeof schema.name === 'string';
    return isWhole ? schema : { name: tool.name ?? null, description: tool.description ?? null, parameters: schema };
  });
}

/** Reads a conversation in the older conventions, where every message is an event. */
function eventsOf(events: SpanRecord['events']): {
  messages: Json | undefined;
  reply: Json | undefined;
  fault: string | undefined;
} {
  const messages: Json[] = [];
  const choices: Json[] = [];
  let reply: Json | undefined;
  let fault: string | undefined;
  for (const { name, attributes, body } of events) {
    if (!name.startsWith('gen_ai.')) continue;
    const texts = [...Object.values(attributes), body].filter((value) => typeof value === 'string');
    for (const text of texts) fault ??= faultOfJson(text);
    const content = parseIfJson(body ?? attributes['gen_ai.event.content']) ?? attributes;
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1];
    if (role) messages.push(isObject(content) ? { ...content, role } : { role, content });
    else if (name === 'gen_ai.choice') choices.push(choiceIn(content));
    else if (name === 'gen_ai.content.prompt')
      messages.push(...[parseIfJson(attributes['gen_ai.prompt']) ?? []].flat());
    else if (name === 'gen_ai.content.completion') reply ??= attributes['gen_ai.completion'];
  }
  // Each event is a choice. The first is proposed, unless only another makes calls.
  reply ??= choices.find((choice) => placeOfCall(choice) !== undefined) ?? choices[0];
  return { messages: messages.length ? messages : undefined, reply, fault };
}

/** A choice whose message is the JSON of a message or of its parts, or plain text. */
function choiceIn(content: Json): Json {
  const said = isObject(content) && typeof content.message === 'string' ? parseIfJson(content.message)! : undefined;
  if (said === undefined || !isObject(content)) return content;
  return { finish_reason: content.finish_reason ?? null, ...(isObject(said) ? { message: said } : { content: said }) };
}
