import { toText, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import { readAnthropicReply } from '#lib/providers/formats/anthropic/reply';
import { isHostFailure } from '#lib/providers/replies/host-failure';
import { listByIndex } from '#lib/providers/replies/native-calls';
import { readCall, rejectUnknownKeys, shorten, toToolCall } from './read-call.js';

/** The fields of chat completion messages, for any host. */
const FIELDS = wordSet(
  'role content finish_reason tool_calls function_call refusal annotations audio name reasoning reasoning_content',
  'reasoning_details extra_content thinking thinking_blocks provider_specific_fields content_blocks output_items',
  'parsed images citations executed_tools tool_plan prefix',
);
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
/** The types of LangChain and Ragas, as roles. */
const TYPES: Record<string, string> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  tool: 'tool',
  function: 'function',
  developer: 'developer',
  AIMessageChunk: 'assistant',
};
const isSpeech = ({ content, tool_calls, function_call, refusal }: JsonObject): boolean =>
  [content, tool_calls, function_call, refusal].some((field) => field !== undefined);

export interface Conversation {
  /** The messages in OpenAI's format. */
  messages: JsonObject[];
  /** The original format of the messages. */
  words: 'openai' | 'langchain' | 'anthropic';
}

/** Whether a value is a single message of a conversation, in any format. */
export const isMessage = (value: unknown): value is JsonObject =>
  isObject(value) && (typeof value.role === 'string' || isLangChain(value));

export const notAReplyError = (role: Json): Error =>
  new Error(`It is a message of the role ${named(role)}, not a reply of the model.`);
const named = (value: Json): string => (typeof value === 'string' ? `"${shorten(value)}"` : 'that is not a string');

/**
 * Reads a single reply in the shape of chat completions. Unknown fields are rejected, because no other schema defines
 * what it may contain.
 */
export function readOwnMessage(message: JsonObject): JsonObject {
  if (message.role !== undefined && message.role !== 'assistant') throw notAReplyError(message.role);
  if (!hasToolUse(message)) rejectUnknownKeys(message, FIELDS, 'a chat message');
  if (!isSpeech(message))
    throw new Error(
      'The message holds neither "content" nor "tool_calls". A model that said nothing is {"content": null}.',
    );
  return readMessage(message, 'The message').message;
}

/** @throws Error if an entry is not a message, or an assistant message has calls in an unknown format */
export function readMessages(list: readonly Json[], where: string): Conversation {
  let words: Conversation['words'] = 'openai';
  const messages = list.map((one, index) => {
    if (!isMessage(one)) throw new Error(`${where}[${index}] must be a message: {"role": ..., "content": ...}.`);
    const read = readMessage(one, `${where}[${index}]`);
    if (read.words !== 'openai') words = read.words;
    return read.message;
  });
  return { messages, words };
}

/** Returns the assistant's messages of a conversation. */
export function toRounds(messages: readonly JsonObject[]): JsonObject[] {
  const rounds = messages.filter((message) => message.role === 'assistant');
  if (rounds.length === 0) throw new Error('It contains no assistant message.');
  if (!rounds.every(isSpeech)) throw new Error('A message of the assistant holds neither "content" nor "tool_calls".');
  return rounds;
}

function readMessage(value: Json, where: string): { message: JsonObject; words: Conversation['words'] } {
  if (!isObject(value)) throw new Error(`${where} must be an object, a message.`);
  if (isLangChain(value)) return { message: ofLangChain(value, where), words: 'langchain' };
  const role = value.role ?? 'assistant';
  if (typeof role !== 'string' || !ROLES.has(role))
    throw new Error(`${where} has the role ${named(role)}. Roles: ${[...ROLES].join(', ')}.`);
  if (role !== 'assistant') return { message: value, words: 'openai' };
  refuseSlips(value, where);
  if (hasToolUse(value) && !hasCalls(value)) return { message: anthropicMessage(value.content), words: 'anthropic' };
  rejectUnreadBlocks(value.content, where);
  return { message: toMessageWithCalls(value, where), words: 'openai' };
}

function anthropicMessage(content: Json | undefined): JsonObject {
  const read = readAnthropicReply({ type: 'message', content: content ?? null })!;
  if (isHostFailure(read)) throw new Error(read.failed.message);
  return read.message;
}

/** Returns the message with its calls in OpenAI's format, or the message itself if they already are. */
function toMessageWithCalls(message: JsonObject, where: string): JsonObject {
  const { tool_calls: given, function_call: older } = message;
  const calls = isObject(given) ? listByIndex(given) : given;
  if (older != null && !(isObject(older) && typeof older.name === 'string'))
    throw new Error(`${where}.function_call must be a call: {"name": ..., "arguments": "..."}.`);
  if (calls === undefined || calls === null) return message;
  if (!Array.isArray(calls)) throw new Error(`${where}.tool_calls must be a list of calls.`);
  const read = calls.map((call, index) => readCall(call, `${where}.tool_calls[${index}]`));
  return calls.every((call) => isObject(call) && isObject(call.function))
    ? message
    : { ...message, tool_calls: read.map(toToolCall) };
}

const hasCalls = ({ tool_calls: calls }: JsonObject): boolean => Array.isArray(calls) && calls.length > 0;
/** Whether a message has calls in Anthropic's format. */
export const hasToolUse = ({ content }: JsonObject): boolean =>
  Array.isArray(content) && content.some((block) => isObject(block) && block.type === 'tool_use');

/**
 * LangChain writes `{type: "ai", ...}`, the same under `data` (`messages_to_dict`), or a constructor with `kwargs`
 * (`dumps`).
 */
const isLangChain = (value: JsonObject): boolean =>
  value.role === undefined &&
  typeof value.type === 'string' &&
  // An OpenAI call has the type "function", like a LangChain function result, but it has no content.
  (value.type === 'constructor'
    ? isObject(value.kwargs)
    : Object.hasOwn(TYPES, value.type) && (value.content !== undefined || isObject(value.data)));

function ofLangChain(value: JsonObject, where: string): JsonObject {
  const inner = isObject(value.kwargs)
    ? value.kwargs
    : isObject(value.data) && value.content === undefined
      ? value.data
      : value;
  const type = toText(value.type === 'constructor' ? constructed(value) : value.type);
  const role = Object.hasOwn(TYPES, type) ? TYPES[type]! : undefined;
  if (!role)
    throw new Error(
      `${where} is of the type ${named(type)}, which is not a message. Types: ${Object.keys(TYPES).join(', ')}.`,
    );
  const {
    content = null,
    name,
    tool_call_id,
    tool_calls,
    invalid_tool_calls: invalid,
    additional_kwargs: additional,
  } = inner;
  const message: JsonObject = {
    role,
    content,
    ...(name != null && { name }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
  if (role !== 'assistant') return message;
  refuseSlips(inner, where);
  const calls = [tool_calls, invalid].flatMap((list) => (Array.isArray(list) ? list : []));
  // If LangChain did not parse the calls into the message's own field, they are here as the provider sent them.
  const raw = calls.length === 0 && isObject(additional) ? additional : {};
  if (hasToolUse(inner) && calls.length === 0) return anthropicMessage(content);
  rejectUnreadBlocks(calls.length ? null : content, where);
  const made = calls.length ? calls : Array.isArray(raw.tool_calls) ? raw.tool_calls : [];
  return {
    ...message,
    ...(made.length > 0 && {
      tool_calls: made.map((call, index) => toToolCall(readCall(call, `${where}.tool_calls[${index}]`))),
    }),
    ...(isObject(raw.function_call) && { function_call: raw.function_call }),
  };
}

/** Derives the type "ai" from `[..., "AIMessage"]`. */
const constructed = ({ id, kwargs }: JsonObject): Json => {
  const given = isObject(kwargs) ? kwargs.type : undefined;
  return (
    given ??
    (Array.isArray(id)
      ? toText(id.at(-1))
          .replace(/Message(?:Chunk)?$/, '')
          .toLowerCase()
      : null)
  );
};

const CALLS = new Set(['tool_calls', 'function_call', 'invalid_tool_calls']);
/** Rejects a misspelt calls field, which would otherwise be ignored: `toolcalls`, `toolCalls`, `tool_call`. */
function refuseSlips(message: JsonObject, where: string): void {
  for (const key in message) {
    if (!CALLS.has(key) && /^(?:tool|function)s?call(?:s|ed)?$/.test(key.toLowerCase().replaceAll(/[^a-z]/g, '')))
      throw new Error(`"${key}" is not a field of ${where}: its calls are its "tool_calls".`);
  }
}

/** Rejects a value that is not content, and a content block that can only be a call in an unknown format. */
function rejectUnreadBlocks(content: Json | undefined, where: string): void {
  if (content === undefined || content === null || typeof content === 'string') return;
  if (!Array.isArray(content)) throw new Error(`${where}.content must be a string, a list of blocks, or null.`);
  content.forEach((block, index) => {
    if (
      !isObject(block) ||
      typeof block.text === 'string' ||
      block.type === 'tool_use' ||
      block.type === 'server_tool_use'
    )
      return;
    const key = ['name', 'toolName', 'toolUse', 'functionCall', 'function'].find((one) => block[one] !== undefined);
    if (key)
      throw new Error(
        `${where}.content[${index}] holds "${key}": a call in content is only read as {"type": ` +
          '"tool_use", "name", "input"}.',
      );
  });
}
