import { flattenDeclarations, toOpenAiTool } from '#lib/contracts/input/tool-shapes';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { isMessageType, UnreadableMessage } from './chat-messages.js';
import { faultOfJson, parseIfJson } from './json-text.js';

/** A model's input, with messages and tools in any shape. */
export interface Request {
  messages: Json | undefined;
  tools: Json | undefined;
}

/** The keys of a request body in applications and libraries. */
const WRAPPERS = ['kwargs', 'request', 'body', 'params', 'inputs', 'invocation_params', 'data', 'args'];
const MAX_WRAPPERS = 8;
const MESSAGES = ['messages', 'contents', 'input', 'prompt', 'chat_history'];
const SYSTEM = ['system', 'systemInstruction', 'system_instruction', 'instructions', 'system_prompt', 'preamble'];
/** Fields of a request that refer to content outside of it. */
const REFERENCE_FIELDS: Record<string, string[]> = {
  input: ['previous_response_id', 'conversation'],
  contents: ['cachedContent', 'cached_content'],
};

/**
 * Reads a request: messages alone, or the body of a request to OpenAI (chat completions and Responses), Anthropic,
 * Gemini or Bedrock, bare or in a wrapper.
 * @throws UnreadableMessage if part of the input is not in it
 */
export function readRequest(given: Json, level = 0): Request {
  const value = withoutBatch(parseIfJson(given)!);
  if (!isObject(value) || isMessage(value)) return { messages: value, tools: undefined };
  const config = ['config', 'generationConfig', 'inferenceConfig']
    .map((key) => parseIfJson(value[key]))
    .filter(isObject);
  if (typeof value.message === 'string' && 'chat_history' in value) return ofCohere(value);
  const keys = MESSAGES.filter((one) => isGiven(value[one]) && !isStoredPrompt(value[one]));
  const [key] = keys;
  const wrapped = WRAPPERS.map((one) => parseIfJson(value[one]));
  if (key === undefined) {
    const inner = wrapped.find((one) => isFilled(one));
    if (inner === undefined || level >= MAX_WRAPPERS) throw unreadable(value);
    const first = Array.isArray(inner) && inner.length === 1 ? inner[0]! : inner;
    const read = readRequest(first, level + 1);
    return { messages: read.messages, tools: read.tools ?? toolsOf([value, ...config]) };
  }
  if (keys.length > 1) throw new UnreadableMessage(`the request is in several fields ("${keys.join('", "')}")`);
  const elsewhere =
    REFERENCE_FIELDS[key]?.find((one) => isGiven(value[one])) ?? (isStoredPrompt(value.prompt) ? 'prompt' : undefined);
  if (elsewhere !== undefined) throw new UnreadableMessage(`a part of the request is not recorded ("${elsewhere}")`);
  const asked = withoutBatch(parseIfJson(value[key])!);
  const inner =
    isObject(asked) && !isMessage(asked) && level < MAX_WRAPPERS ? readRequest(asked, level + 1) : undefined;
  const messages = inner ? inner.messages : key === 'contents' ? ofContents(asked) : asked;
  const system = [value, ...config].flatMap((holder) => SYSTEM.map((one) => parseIfJson(holder[one]))).find(isGiven);
  return {
    messages: system === undefined ? messages : [systemMessage(system), ...listOf(messages)],
    tools: toolsOf([value, ...config]) ?? inner?.tools,
  };
}

/** Responses requests may refer to a prompt stored at OpenAI. */
const isStoredPrompt = (prompt: Json | undefined): boolean => isObject(prompt) && typeof prompt.id === 'string';

/** Cohere's first API has the last message in a separate field from the history. */
function ofCohere({ message, chat_history: history, preamble, tools, tool_results: results }: JsonObject): Request {
  if (isGiven(results)) throw new UnreadableMessage('it gives results of tools in an unsupported form');
  const before = listOf(history).map((one): Json => {
    if (!isObject(one) || typeof one.message !== 'string') return one;
    const role =
      typeof one.role === 'string' && one.role.toLowerCase() === 'chatbot' ? 'assistant' : (one.role ?? null);
    return { role, content: one.message };
  });
  const system = isGiven(preamble) ? [systemMessage(preamble)] : [];
  return { messages: [...system, ...before, asUser(message!)], tools: toolsOf([{ tools: tools ?? null }]) };
}

const isGiven = (value: Json | undefined): value is Json =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

const isFilled = (value: Json | undefined): value is JsonObject | Json[] =>
  isObject(value)
    ? Object.keys(value).length > 0
    : Array.isArray(value) && value.some((one) => typeof one === 'object');

const unreadable = (value: JsonObject): UnreadableMessage => {
  const fields = Object.keys(value)
    .slice(0, 5)
    .map((key) => JSON.stringify(key.slice(0, 40)));
  return new UnreadableMessage(`the request has an unknown shape (fields: ${fields.join(', ') || 'none'})`);
};

const isMessage = ({ role, type }: JsonObject): boolean =>
  typeof role === 'string' || (typeof type === 'string' && (type === 'constructor' || isMessageType(type)));

/** LangChain stores a list of conversations, usually with one entry. */
function withoutBatch(value: Json): Json {
  if (!Array.isArray(value) || value.length === 0 || !value.every(Array.isArray)) return value;
  if (value.length > 1) throw new UnreadableMessage(`it asks ${value.length} conversations at once`);
  return value[0]!;
}

const systemMessage = (system: Json): JsonObject =>
  isObject(system) && Array.isArray(system.parts)
    ? { role: 'system', parts: system.parts }
    : isObject(system) && system.content !== undefined
      ? { ...system, role: 'system' }
      : { role: 'system', content: isObject(system) ? [system] : system };

const listOf = (messages: Json | undefined): Json[] =>
  Array.isArray(messages)
    ? messages
    : messages === undefined
      ? []
      : isObject(messages)
        ? [messages]
        : [asUser(messages)];
const asUser = (content: Json): JsonObject => ({ role: 'user', content });

/** Gemini's contents: a text, parts, or contents whose role may be missing. */
function ofContents(contents: Json): Json {
  return [contents].flat().map((one): Json => {
    if (!isObject(one)) return asUser(one);
    if (Array.isArray(one.parts)) return { role: 'user', ...one };
    return one.role === undefined ? { role: 'user', parts: [one] } : one;
  });
}

function toolsOf(holders: JsonObject[]): Json | undefined {
  const declared = holders.flatMap((holder) => {
    const { toolConfig, tool_config: snake } = holder;
    const ofBedrock = [toolConfig, snake].flatMap((one) => (isObject(one) ? [one.tools] : []));
    return [holder.tools, holder.functions, ...ofBedrock];
  });
  return declared.map(listOfTools).find((one) => one.length > 0);
}

/** @throws UnreadableMessage if a tool, or the list of them, is cut off */
function wholeJson(declared: Json | undefined): Json | undefined {
  const read = parseIfJson(declared);
  const fault = typeof read === 'string' ? faultOfJson(read) : undefined;
  if (fault !== undefined) throw new UnreadableMessage(`the description of its tools ${fault}`);
  return read;
}

/** A list of tools; the AI SDK has an object keyed by name instead. */
function listOfTools(declared: Json | undefined): Json[] {
  const tools = wholeJson(declared);
  if (Array.isArray(tools)) return tools;
  if (!isObject(tools) || 'functionDeclarations' in tools) return isObject(tools) ? [tools] : [];
  return Object.entries(tools).flatMap(([name, tool]): Json[] => (isObject(tool) ? [{ name, ...tool }] : []));
}

/**
 * Lists tools in any provider's shape, in the form that `readTools` accepts.
 * @throws UnreadableMessage if one of them is cut off
 */
export function flattenTools(declared: readonly Json[]): Json[] {
  const list = flattenDeclarations(declared.map((one) => wholeJson(one)!)) as Json[];
  return list.map((one): Json => {
    const tool = isObject(one) && isObject(one.toolSpec) ? one.toolSpec : one;
    if (!isObject(tool)) return tool;
    const { inputSchema, parameter_definitions: definitions } = tool;
    if (isObject(inputSchema)) return ofSchema(tool, isObject(inputSchema.json) ? inputSchema.json : inputSchema);
    if (isObject(definitions)) return { ...tool, parameters: ofDefinitions(definitions) };
    return isOfGemini(tool) ? (toOpenAiTool(tool) as Json) : tool;
  });
}

/** Bedrock and MCP use another key for the schema. */
const ofSchema = ({ inputSchema: _schema, type: _type, ...tool }: JsonObject, parameters: JsonObject): JsonObject => ({
  ...tool,
  parameters,
});

/** A Gemini declaration outside its list, with types in capitals. */
const isOfGemini = ({ type, parameters }: JsonObject): boolean =>
  type === undefined && isObject(parameters) && typeof parameters.type === 'string' && /^[A-Z]+$/.test(parameters.type);

/** Cohere's first API uses Python's type names. */
const PYTHON: Record<string, string> = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  dict: 'object',
};

function ofDefinitions(definitions: JsonObject): JsonObject {
  const entries = Object.entries(definitions).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { type, description }]) => {
        const known = typeof type === 'string' && Object.hasOwn(PYTHON, type) ? PYTHON[type] : undefined;
        return [name, { ...(known && { type: known }), ...(typeof description === 'string' && { description }) }];
      }),
    ),
    required: entries.flatMap(([name, { required }]) => (required === true ? [name] : [])),
  };
}
