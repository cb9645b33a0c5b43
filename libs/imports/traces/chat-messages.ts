import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import { faultOfJson, isMarkedAsCut, parseIfJson } from './json-text.js';
import { isHidden, isPrintedPrompt } from '#lib/recorded/printed-value';

/** Thrown when a recorded conversation cannot be read. The message gives the reason. */
export class UnreadableMessage extends Error {}
/** Thrown when a call was recorded without its messages or without their content. */
export class NotRecorded extends UnreadableMessage {}

const ROLES = new Map(
  Object.entries({
    human: 'user',
    ai: 'assistant',
    model: 'assistant',
    aimessagechunk: 'assistant',
    function: 'tool',
    system: 'system',
    developer: 'developer',
    user: 'user',
    assistant: 'assistant',
    tool: 'tool',
  }),
);
/** OpenInference writes this instead of content that it was configured to hide. */
const REDACTED = '__REDACTED__';
/** Content parts that chat completions accept unchanged. */
const KEPT = new Set(['image_url', 'input_audio', 'file']);
/** A model's reasoning is not sent back to it. */
const THOUGHTS = new Set(['reasoning', 'thinking', 'redacted_thinking']);

/**
 * Reads a conversation into the shape of chat completions. This reader takes what it can from whatever tracing tools
 * store, including parts that contain JSON as text. `libs/recorded/read-messages` instead rejects every unknown field,
 * because it reads replies for scoring and a guess would change the score. Neither reader can replace the other.
 * It reads the shapes of chat completions, OpenAI's Responses, Anthropic, Gemini and Bedrock, the `parts` of
 * OpenTelemetry and the AI SDK, the nested `message`s of OpenInference, and LangChain's messages.
 * @throws UnreadableMessage, NotRecorded
 */
export function toChatMessages(recorded: Json): JsonObject[] {
  const value = parseIfJson(recorded)!;
  const fault = typeof value === 'string' ? faultOfJson(value) : undefined;
  if (fault !== undefined) throw new UnreadableMessage(`the request ${fault}`);
  const list = typeof value === 'string' ? [{ role: 'user', content: value }] : Array.isArray(value) ? value : [value];
  const messages = list.flatMap((one) => readMessage(parseIfJson(one)!));
  // A tool's answer may have been shortened for the model.
  const cut = messages.find(
    ({ role, content }) => role !== 'tool' && typeof content === 'string' && isMarkedAsCut(content),
  );
  if (cut) throw new UnreadableMessage(`a message of the role "${cut.role as string}" is marked as truncated`);
  const printed = messages.find(({ content }) => typeof content === 'string' && isPrintedPrompt(content));
  if (printed) throw new UnreadableMessage(`a message of the role "${printed.role as string}" is a printed object`);
  return withIds(withJoinedCalls(messages));
}

/** Joins calls in separate list items, as in Responses, with the preceding ones of the same turn. */
function withJoinedCalls(messages: JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const { tool_calls: calls } = message;
    if (last?.role !== 'assistant' || message.content !== null || !Array.isArray(calls)) {
      joined.push(message);
      continue;
    }
    last.tool_calls ??= [];
    for (const call of calls) (last.tool_calls as Json[]).push(call);
  }
  return joined;
}

interface Read {
  content: JsonObject[];
  calls: JsonObject[];
  answers: JsonObject[];
}

/** Reads one message. Calls and answers in its parts become separate messages. */
export function readMessage(given: Json): JsonObject[] {
  if (!isObject(given)) throw new UnreadableMessage('a message is not an object');
  const value = withoutDump(given);
  const message = isObject(value.message) ? { role: value.role ?? 'assistant', ...value.message } : value;
  const name = message.role ?? message.type;
  const role = typeof name === 'string' ? ROLES.get(name.toLowerCase()) : undefined;
  const read: Read = { content: [], calls: [], answers: [] };
  if (role === undefined) {
    if (typeof message.type !== 'string' || message.role !== undefined)
      throw new UnreadableMessage(`a message has the role ${JSON.stringify(name ?? null).slice(0, 40)}`);
    readPart(message, read); // Responses puts messages, calls and answers into one list.
    if (read.content.length) throw new UnreadableMessage('a message has no role');
    return [
      ...read.answers,
      ...(read.calls.length ? [{ role: 'assistant', content: null, tool_calls: read.calls }] : []),
    ];
  }
  const said =
    parseIfJson(message.parts ?? message.contents ?? message.blocks) ?? partsIn(message.content ?? message.text);
  const isCallAnswer =
    role === 'tool' && !(Array.isArray(said) && said.some((part) => isObject(part) && isAnswer(part)));
  if (isCallAnswer) return [answer(message.tool_call_id ?? message.toolCallId ?? message.id, said)];
  for (const part of Array.isArray(said) ? said : said === undefined || said === null ? [] : [said])
    readPart(part, read);
  const more = isObject(message.additional_kwargs) ? message.additional_kwargs : {};
  const calls = parseIfJson(
    [message.tool_calls, message.toolCalls, more.tool_calls].find((one) => one !== undefined && one !== null),
  );
  for (const one of Array.isArray(calls) ? calls : []) read.calls.push(readCall(one));
  const older = message.function_call ?? more.function_call ?? olderOfOpenInference(message);
  if (isObject(older)) read.calls.push(readCall(older));
  const isRecorded = TEXT_FIELDS.some((key) => message[key] !== undefined);
  return [...read.answers, ...ownMessage(role, read, said, isRecorded)];
}
/** OpenInference splits OpenAI's older field into two. */
const olderOfOpenInference = (message: JsonObject): JsonObject | undefined =>
  typeof message.function_call_name === 'string'
    ? { name: message.function_call_name, arguments: message.function_call_arguments_json ?? REDACTED }
    : undefined;

const TEXT_FIELDS = ['content', 'text', 'parts', 'contents', 'blocks', 'refusal'];

/** LangChain dumps a message as `{type: "constructor", id: [..., "HumanMessage"], kwargs}` or `{type, data}`. */
function withoutDump(value: JsonObject): JsonObject {
  const { type, id, kwargs, data } = value;
  if (type === 'constructor' && isObject(kwargs)) {
    const name = Array.isArray(id) ? id.at(-1) : undefined;
    const kind = typeof name === 'string' ? name.slice(0, 100).replace(/Message(?:Chunk)?$/, '') : '';
    return { type: kind.toLowerCase(), ...kwargs };
  }
  return isObject(data) && typeof type === 'string' && isMessageType(type) ? { type, ...data } : value;
}

/** Whether a word is a role in the format of any tool. */
export const isMessageType = (word: string): boolean => ROLES.has(word.toLowerCase());
/** Whether an object is a part of a message, rather than a message. */
export const isPart = (value: JsonObject): boolean =>
  value.role === undefined && KINDS.some((kinds) => kinds.has(kindOf(value).kind));

function ownMessage(
  role: string,
  { content, calls, answers }: Read,
  said: Json | undefined,
  isRecorded: boolean,
): JsonObject[] {
  const isEmpty = content.length === 0;
  if (role === 'assistant' && !isRecorded && calls.length === 0) throw new NotRecorded('the reply is not recorded');
  if (role === 'tool' || (isEmpty && answers.length > 0)) return [];
  if (
    role !== 'assistant' &&
    (said === undefined || said === null || content.some(({ text }) => typeof text === 'string' && isHidden(text)))
  )
    throw new NotRecorded('the content is not recorded');
  const [first] = content;
  const text =
    content.length === 1 && first!.type === 'text'
      ? first!.text!
      : isEmpty
        ? role === 'assistant'
          ? null
          : ''
        : content;
  return [{ role, content: text, ...(calls.length && { tool_calls: calls }) }];
}

/** Keys of parts without a `type`, in the shapes of Bedrock and Gemini. */
const BLOCKS = [
  'text',
  'toolUse',
  'toolResult',
  'functionCall',
  'functionResponse',
  'function_call',
  'function_response',
  'message_content',
];
const CALLS = new Set(['tool_call', 'tool_use', 'tool-call', 'function_call', 'toolUse', 'functionCall']);
const RESULT_TYPES = wordSet(
  'tool_call_response tool_result tool-result function_call_output toolResult functionResponse function_response',
);
const TEXTS = new Set(['text', 'input_text', 'output_text']);
const KINDS = [TEXTS, CALLS, RESULT_TYPES, KEPT, THOUGHTS];

function kindOf(part: JsonObject): { kind: string; inner: JsonObject } {
  if (isObject(part.message_content)) return kindOf(part.message_content);
  const kind = part.type ?? part.part_kind ?? part.block_type;
  if (typeof kind === 'string') return { kind, inner: part };
  // Google's Python SDK writes null for every other kind of part.
  const key = BLOCKS.find((one) => (part[one] ?? null) !== null) ?? BLOCKS.find((one) => one in part) ?? 'unknown';
  return { kind: key, inner: isObject(part[key]) ? (part[key] as JsonObject) : part };
}
/** A text may be the JSON of a message's parts. It counts as parts only if all of them are of a known kind. */
function partsIn(content: Json | undefined): Json | undefined {
  const value = parseIfJson(content);
  if (typeof content !== 'string') return value;
  return Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => isObject(part) && KINDS.some((kinds) => kinds.has(kindOf(part).kind)))
    ? value
    : content;
}
const isAnswer = (part: JsonObject): boolean => RESULT_TYPES.has(kindOf(part).kind);

function readPart(part: Json, read: Read): void {
  if (typeof part === 'string') return void read.content.push({ type: 'text', text: part });
  if (!isObject(part)) throw new UnreadableMessage('a part of a message is not an object');
  if (part.thought === true && part.text !== undefined) return; // Gemini's thoughts
  const { kind, inner } = kindOf(part);
  if (TEXTS.has(kind)) {
    const text = inner.text ?? inner.content;
    if (typeof text !== 'string') throw new NotRecorded('the content is not recorded');
    read.content.push({ type: 'text', text });
  } else if (CALLS.has(kind)) read.calls.push(readCall(inner));
  else if (RESULT_TYPES.has(kind))
    read.answers.push(
      answer(
        inner.tool_use_id ?? inner.toolUseId ?? inner.toolCallId ?? inner.call_id ?? inner.id,
        inner.response ?? inner.result ?? inner.output ?? inner.content,
      ),
    );
  else if (KEPT.has(kind)) read.content.push(inner);
  else if (!THOUGHTS.has(kind))
    throw new UnreadableMessage(`a message has a part of the type "${kind.slice(0, 40)}", which a case cannot hold`);
}

function readCall(value: Json): JsonObject {
  const call = isObject(value) && isObject(value.tool_call) ? value.tool_call : value;
  const described = isObject(call) && isObject(call.function) ? call.function : call;
  const name = isObject(described) ? (described.name ?? described.toolName ?? described.tool_name) : undefined;
  if (!isObject(call) || !isObject(described) || typeof name !== 'string')
    throw new UnreadableMessage('a call has no name');
  const params = [described.arguments, described.args, described.input, described.tool_kwargs].find(
    (one) => one !== undefined,
  );
  if (params === undefined || params === REDACTED)
    throw new NotRecorded(`the arguments of "${name.slice(0, 64)}" are not recorded`);
  const id = call.id ?? call.call_id ?? call.toolCallId ?? call.toolUseId ?? call.tool_call_id;
  const text = typeof params === 'string' ? params : JSON.stringify(params ?? {});
  return { ...(typeof id === 'string' && id !== '' && { id }), type: 'function', function: { name, arguments: text } };
}

function answer(id: Json | undefined, said: Json | undefined): JsonObject {
  if (said === undefined || said === REDACTED) throw new NotRecorded('a tool result is not recorded');
  const texts = Array.isArray(said)
    ? said.map((part) =>
        isObject(part) && (part.type === 'text' || !('type' in part)) ? (part.text ?? part.content) : undefined,
      )
    : [said];
  const content =
    texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('\n') : JSON.stringify(said);
  return { role: 'tool', ...(typeof id === 'string' && id !== '' && { tool_call_id: id }), content };
}

/**
 * Adds missing ids, because models accept no answer without the call that it belongs to. Answers without an id are
 * matched to the calls in order.
 */
function withIds(messages: JsonObject[]): JsonObject[] {
  let made = 0;
  let open: string[] = [];
  return messages.map((message) => {
    if (Array.isArray(message.tool_calls)) {
      const calls = (message.tool_calls as JsonObject[]).map((call) => ({ id: `call_${++made}`, ...call }));
      open = calls.map(({ id }) => id);
      return { ...message, tool_calls: calls };
    }
    if (message.role !== 'tool') return message;
    const id = (message.tool_call_id as string | undefined) ?? open[0];
    if (id === undefined) throw new UnreadableMessage('a tool answers, but no call of it is recorded');
    open = open.filter((one) => one !== id);
    return { role: 'tool', tool_call_id: id, content: message.content! };
  });
}
