import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { parseIfJson } from './chat-messages.js';
import type { ModelCall } from './trace-cases.js';

/** A span from any export. */
export interface SpanRecord {
  attributes: [string, Json][];
  events: { name: string; attributes: JsonObject; body?: Json }[];
}

/** Operations in OpenTelemetry's conventions that do not ask a model for a reply. */
const OTHERS = new Set([
  'embeddings',
  'execute_tool',
  'invoke_agent',
  'create_agent',
  'invoke_workflow',
  'retrieval',
  'tool',
  'rerank',
]);
const MODEL = new Set(['chat', 'text_completion', 'generate_content', 'completion']);

/**
 * Reads a model call from a span. It knows the conventions of OpenTelemetry's GenAI (attributes since 1.37, events
 * before), OpenLLMetry, OpenInference and the AI SDK. Returns undefined if the span is not a model call.
 */
export function toModelCall({ attributes, events }: SpanRecord): Omit<ModelCall, 'line' | 'source'> | undefined {
  const details = events
    .filter(({ name }) => name === 'gen_ai.client.inference.operation.details')
    .flatMap((event) => Object.entries(event.attributes));
  const tree = expandPaths(
    [...attributes, ...details].filter(([key]) => /^(?:gen_ai|llm|openinference|ai)(?:\.|$)/.test(key)),
  );
  const at = (...path: string[]): Json | undefined =>
    path.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), tree);
  const said = eventsOf(events);
  const system = parseIfJson(at('gen_ai', 'system_instructions'));
  const messages = [
    at('gen_ai', 'input', 'messages'),
    at('llm', 'input_messages'),
    at('gen_ai', 'prompt'),
    at('llm', 'prompts'),
    at('ai', 'prompt', 'messages'),
    said.messages,
  ].find(isThere);
  const reply = [
    firstOf(at('gen_ai', 'output', 'messages')),
    at('llm', 'output_messages'),
    at('gen_ai', 'completion'),
    at('llm', 'completions'),
    replyOfSdk(at('ai', 'response')),
    said.reply,
  ].find(isThere);

  const kind = at('openinference', 'span', 'kind');
  const operation = at('gen_ai', 'operation', 'name');
  const sdk = at('ai', 'operationId');
  if (typeof kind === 'string' ? kind.toUpperCase() !== 'LLM' : typeof operation === 'string' && OTHERS.has(operation))
    return undefined;
  // Other spans of the AI SDK wrap the call.
  if (typeof sdk === 'string' && !/\.do(?:Generate|Stream)$/.test(sdk)) return undefined;
  const isModel =
    typeof kind === 'string' ||
    MODEL.has(operation as string) ||
    isThere(messages) ||
    isThere(reply) ||
    at('gen_ai', 'request', 'model') !== undefined ||
    at('llm', 'request', 'type') === 'chat';
  if (!isModel) return undefined;
  const list = parseIfJson(messages);
  return {
    messages:
      isThere(system) && isThere(list)
        ? [
            { role: 'system', parts: Array.isArray(system) ? system : [system!] },
            ...(Array.isArray(list) ? list : [{ role: 'user', content: list! }]),
          ]
        : list,
    reply,
    tools: [
      at('gen_ai', 'tool', 'definitions'),
      toolsIn(at('llm', 'tools')),
      at('llm', 'request', 'functions'),
      at('ai', 'prompt', 'tools'),
    ].find(isThere),
  };
}

const isThere = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

const replyOfSdk = (response: Json | undefined): Json | undefined =>
  isObject(response) && (isThere(response.text) || isThere(response.toolCalls))
    ? { role: 'assistant', content: response.text ?? null, toolCalls: response.toolCalls ?? null }
    : undefined;

/** In OpenTelemetry, each output message is a separate choice. */
function firstOf(outputs: Json | undefined): Json | undefined {
  const list = parseIfJson(outputs);
  return Array.isArray(list) ? list[0] : list;
}

/** OpenInference stores the provider's own definition. If that is only the schema, the name stands beside it. */
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
function eventsOf(events: SpanRecord['events']): { messages: Json | undefined; reply: Json | undefined } {
  const messages: Json[] = [];
  let reply: Json | undefined;
  for (const { name, attributes, body } of events) {
    const content = parseIfJson(body ?? attributes['gen_ai.event.content']) ?? attributes;
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1];
    if (role) messages.push(isObject(content) ? { ...content, role } : { role, content });
    else if (name === 'gen_ai.choice')
      reply ??= isObject(content) && typeof content.message === 'string' ? { content: content.message } : content;
    else if (name === 'gen_ai.content.prompt')
      messages.push(...[parseIfJson(attributes['gen_ai.prompt']) ?? []].flat());
    else if (name === 'gen_ai.content.completion') reply ??= attributes['gen_ai.completion'];
  }
  return { messages: messages.length ? messages : undefined, reply };
}

/** Users and models wrote the values under these keys, so the keys inside them are not paths. */
const OWN_KEYS = new Set([
  'messages',
  'system_instructions',
  'definitions',
  'json_schema',
  'parameters',
  'arguments',
  'content',
  'text',
]);
const MAX_PATH_PARTS = 16;

/**
 * Expands dotted attribute names, which may also be nested, into objects. An object whose keys are all numbers becomes
 * a list.
 */
function expandPaths(entries: Iterable<[string, Json]>): Json {
  const leaves = new Map<string, Json>();
  const branches = new Map<string, [string, Json][]>();
  for (const [key, value] of entries) {
    const dot = key.indexOf('.');
    const head = dot < 0 ? key : key.slice(0, dot);
    const rest: [string, Json][] =
      dot >= 0 ? [[key.slice(dot + 1), value]] : isObject(value) && !OWN_KEYS.has(key) ? Object.entries(value) : [];
    if (rest.length === 0) leaves.set(key, OWN_KEYS.has(key) ? value : expandValue(value));
    else if (key.split('.', MAX_PATH_PARTS + 1).length <= MAX_PATH_PARTS) {
      const branch = branches.get(head) ?? [];
      for (const entry of rest) branch.push(entry);
      branches.set(head, branch);
    }
  }
  const expandedEntries = [
    ...leaves,
    ...[...branches].map(([head, inner]): [string, Json] => [head, expandPaths(inner)]),
  ];
  const isList = expandedEntries.length > 0 && expandedEntries.every(([key]) => /^\d{1,9}$/.test(key));
  return isList
    ? expandedEntries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
    : Object.fromEntries(expandedEntries);
}

const expandValue = (value: Json): Json =>
  Array.isArray(value) ? value.map(expandValue) : isObject(value) ? expandPaths(Object.entries(value)) : value;
