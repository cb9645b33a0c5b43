import { NO_USAGE } from '#lib/contracts/cost';
import { isObject, toNumber, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { isHostFailure, type HostFailure } from '#lib/providers/replies/host-failure';
import { endedReply, type ModelReply } from '#lib/providers/replies/model-reply';
import { readBody } from '#lib/providers/formats/read-body';
import { outcomeIn } from '#lib/recorded/batch-line';
import { readOtherResponse, reasonOf, reasonWord } from '#lib/recorded/read-response';
import { callsOfValue } from '#lib/scoring/replies/call-shape';
import { isMessageType, isPart, NotRecorded, readMessage, UnreadableMessage } from './chat-messages.js';
import { chunksInText, isChunk, joinChunks } from './joined-chunks.js';
import { faultOfJson, parseIfJson } from './json-text.js';
import { isHidden, isPrintedFailure, isPrintedNothing } from '#lib/recorded/printed-value';
import { placeOfCall, placeOfEnvelope } from './unread-calls.js';

export type Reply = Pick<ModelReply, 'message' | 'finishReason'>;

/** Maximum nesting of wrappers such as `{"response": ...}` around a reply. */
const MAX_WRAPPERS = 8;
/** The keys of a reply in tracing tools and applications. */
const WRAPPERS = [
  'response',
  'output',
  'message',
  'messages',
  'result',
  'data',
  'completion',
  'generation',
  'reply',
  'answer',
  'outputs',
  'body',
  'value',
  'return_value',
  'returnValue',
  'raw',
  'raw_response',
];

/**
 * Reads a model's reply from whatever a tracing tool stored: a message, a provider's whole response, a library's
 * response around it, any of these in a wrapper or as text, or the chunks of a streamed response. An object is an
 * answer in JSON only if nothing in it looks like a call or like a provider's response: unknown shapes are never
 * mistaken for a reply without calls.
 * @returns null if the reply is empty
 * @throws UnreadableMessage, NotRecorded
 */
export function readReply(recorded: Json): Reply | null {
  const value = parseIfJson(recorded)!;
  if (value === null) return null;
  const reply = replyIn(value, 0);
  if (reply === undefined) return answerInJson(value);
  const isCalling = reply !== null && (isFilled(reply.message.tool_calls) || isFilled(reply.message.function_call));
  const place = isCalling ? undefined : placeOfCall(value);
  if (place !== undefined) throw unread(place);
  return reply === null || isEmpty(reply) ? null : reply;
}

const unread = (place: string): UnreadableMessage =>
  new UnreadableMessage(`its reply holds what looks like a call ("${place}"), in an unsupported form`);

const isEmpty = ({ message, finishReason }: Reply): boolean =>
  (message.content ?? '') === '' &&
  message.refusal === undefined &&
  !isFilled(message.tool_calls) &&
  (finishReason === null || finishReason === 'stop');

/** An answer that consists of JSON. A call that is the whole of it counts as a call in a text, as in a run. */
function answerInJson(value: Json): Reply | null {
  if (isObject(value) && Object.keys(value).length === 0) return null;
  if (callsOfValue(value)) return textReply(JSON.stringify(value));
  if (isObject(value) && typeof value.message === 'string' && toNumber(value.statusCode ?? value.status) >= 400)
    throw failed(value.message);
  const place = placeOfEnvelope(value);
  if (place !== undefined)
    throw new UnreadableMessage(
      `its reply has an unknown shape ("${place}" looks like a call or a part of a provider's answer)`,
    );
  const texts = isObject(value) ? WRAPPERS.map((key) => value[key]).filter((one) => typeof one === 'string') : [];
  return texts.length > 0 ? textReply(texts.join('\n')) : textReply(JSON.stringify(value));
}

function textReply(text: string): Reply {
  if (isHidden(text) || isPrintedNothing(text)) throw new NotRecorded('the content is not recorded');
  if (isPrintedFailure(text)) throw failed(text);
  const fault = faultOfJson(text);
  if (fault !== undefined) throw new UnreadableMessage(`its reply ${fault}`);
  return { message: { role: 'assistant', content: text }, finishReason: null };
}

/** @returns undefined if the value has none of the shapes of a reply, null for an empty reply */
function replyIn(value: Json, level: number): Reply | null | undefined {
  if (typeof value === 'string') {
    const chunks = chunksInText(value);
    return chunks ? replyIn(joinChunks(chunks), level + 1) : textReply(value);
  }
  if (Array.isArray(value)) return replyInList(value.filter((one) => one !== null).map(readJson), level);
  if (!isObject(value)) return undefined;
  if (isChunk(value)) return replyIn(joinChunks([value]), level + 1);
  const response = responseIn(value);
  if (response) return response;
  if (isObject(value.content) && Array.isArray(value.content.parts)) {
    if (value.partial === true) throw failed('It is a part of a streamed answer.');
    return replyIn(value.content, level + 1);
  }
  if (isPart(value)) return replyOf([{ role: 'assistant', content: [value] }]);
  if (isMessage(value)) return replyOf([value]);
  if (level >= MAX_WRAPPERS) return undefined;
  for (const key of WRAPPERS) {
    const inner = parseIfJson(value[key]);
    if (typeof inner !== 'object' || inner === null || (key === 'message' && !isObject(inner))) continue;
    const found = replyIn(inner, level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const readJson = (value: Json): Json => parseIfJson(value)!;

/** The reply in a provider's or library's whole response. */
function responseIn(value: JsonObject): Reply | undefined {
  if (isListOfTexts(value.choices) || isListOfTexts(value.candidates)) return undefined;
  if (isItem(value)) return undefined;
  const { response, result } = value;
  const isBatchLine = isObject(response)
    ? response.status_code !== undefined
    : isObject(result) && 'custom_id' in value;
  const outcome = isBatchLine ? outcomeIn(value) : undefined;
  if (outcome?.failed) throw failed(toText(outcome.failed.error.message ?? 'the request failed'));
  if (reasonOf(value) === 'pause_turn') throw failed('Its turn was paused, and continues in another request.');
  const body = Array.isArray(value.candidates) ? ofGooglesPython(value, value.candidates) : value;
  const read = attempt(() => readBody(body) ?? readOtherResponse(body));
  if (!read) return undefined;
  if (!isHostFailure(read)) return withReason(read, value);
  const { status, error } = read.failed;
  const isOnlyUnread = status === undefined && error === undefined;
  if (isOnlyUnread && Array.isArray(value.choices) && value.choices.length > 1) return firstChoice(value, read);
  if (isOnlyUnread && value.type !== 'message' && isMessage(value)) return undefined;
  throw failed(read.failed.message);
}

/** Google's Python SDKs use their own spelling for the fields of a response, and numbers or enums for reasons. */
function ofGooglesPython(value: JsonObject, candidates: Json[]): JsonObject {
  const part = (one: Json): Json =>
    isObject(one) && isObject(one.function_call) ? { ...one, functionCall: one.function_call } : one;
  const candidate = (one: Json): Json => {
    if (!isObject(one)) return one;
    const { content, finish_reason: snake } = one;
    const given = one.finishReason ?? snake;
    const reason = typeof given === 'number' ? (GOOGLES_REASONS[given] ?? 'OTHER') : given;
    return {
      ...one,
      ...(reason !== undefined && { finishReason: typeof reason === 'string' ? reasonWord(reason) : reason }),
      ...(isObject(content) &&
        Array.isArray(content.parts) && { content: { ...content, parts: content.parts.map(part) } }),
    };
  };
  return { ...value, candidates: candidates.map(candidate) };
}
const GOOGLES_REASONS = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION'];

/** Libraries use their own spelling for the finish reason. */
function withReason(read: ModelReply, value: JsonObject): Reply {
  const choices = Array.isArray(value.choices) ? value.choices.filter(isObject) : [];
  const reason = read.finishReason === null ? [value, ...choices].map(reasonOf).find((one) => one !== null) : undefined;
  const ended = reason === undefined ? read : endedReply(read, reason);
  if (isHostFailure(ended)) throw failed(ended.failed.message);
  return ended;
}

/** If several choices make calls, the first one is proposed. */
function firstChoice(value: JsonObject, failure: HostFailure): Reply {
  const first = readBody({ ...value, choices: (value.choices as Json[]).slice(0, 1) });
  if (!first || isHostFailure(first) || !Array.isArray(first.message.tool_calls)) throw failed(failure.failed.message);
  return first;
}

function attempt<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw new UnreadableMessage(`its reply cannot be read: ${(error as Error).message.slice(0, 300)}`, {
      cause: error,
    });
  }
}

const failed = (message: string): UnreadableMessage =>
  new UnreadableMessage(`its reply failed or cannot be read: ${message.slice(0, 300)}`);

const isListOfTexts = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== 'object');

/** A single item of a response, which has the type of a message. */
const isItem = ({ type, content }: JsonObject): boolean =>
  type === 'message' &&
  Array.isArray(content) &&
  content.some((part) => isObject(part) && (part.type === 'output_text' || part.type === 'refusal'));

/** Whether an object is a message or a part of one. */
function isMessage(value: JsonObject): boolean {
  const { role, type, message, content, parts, contents, text, data } = value;
  if (typeof role === 'string') return isMessageType(role);
  if (type === 'message') return true;
  if (typeof type === 'string' && isMessageType(type) && (content !== undefined || isObject(data))) return true;
  if (type === 'constructor') return isObject(value.kwargs) && 'content' in value.kwargs;
  if (isObject(message)) return isMessage(message);
  return (
    Array.isArray(parts) ||
    Array.isArray(contents) ||
    Array.isArray(content) ||
    typeof content === 'string' ||
    typeof text === 'string' ||
    ['tool_calls', 'toolCalls', 'function_call', 'additional_kwargs'].some((key) => isFilled(value[key]))
  );
}

const isFilled = (value: Json | undefined): boolean =>
  Array.isArray(value) || isObject(value) ? Object.keys(value).length > 0 : value !== undefined && value !== null;

function replyInList(list: Json[], level: number): Reply | null | undefined {
  if (list.length === 0) return null;
  if (list.every((one) => typeof one === 'string')) return textReply(list.join(''));
  const objects = list.filter(isObject).map(withoutThoughts);
  if (objects.length < list.length) {
    if (list.length > 1 || level >= MAX_WRAPPERS) return undefined;
    return replyIn(list[0]!, level + 1);
  }
  if (objects.some(isChunk) || (objects.length > 1 && objects.every(({ candidates }) => Array.isArray(candidates))))
    return replyIn(joinChunks(objects), level + 1);
  const whole = wholeOf(objects);
  if (whole) return responseIn(whole);
  if (objects.length === 1 && level < MAX_WRAPPERS && !isNativeCall(objects[0]!))
    return replyIn(objects[0]!, level + 1);
  if (objects.every(isPart)) return replyOf([{ role: 'assistant', content: objects }]);
  if (objects.every(isNativeCall)) return replyOf([{ role: 'assistant', content: null, tool_calls: objects }]);
  return objects.every(isMessage) ? replyOf(objects) : undefined;
}

/** OpenLLMetry writes a model's thoughts into a separate message. */
const withoutThoughts = (message: JsonObject): JsonObject =>
  message.role === 'thinking' ? { ...message, role: 'assistant', content: null } : message;

/** A call of chat completions, or of the AI SDK. */
const isNativeCall = ({ function: described, toolName, args, input }: JsonObject): boolean =>
  isObject(described)
    ? typeof described.name === 'string' && described.arguments !== undefined
    : typeof toolName === 'string' && (args ?? input) !== undefined;

/** The response that a list belongs to: its choices, candidates, items or generations. */
function wholeOf(objects: JsonObject[]): JsonObject | undefined {
  if (
    objects.every(({ message, index, finish_reason: reason }) => isObject(message) && (reason ?? index) !== undefined)
  )
    return { choices: objects };
  if (objects.every(({ content }) => isObject(content) && Array.isArray(content.parts))) return { candidates: objects };
  if (objects.every(({ text, generation_info: info }) => typeof text === 'string' && info !== undefined))
    return { generations: objects };
  const isItemOrCall = (one: JsonObject): boolean =>
    isItem(one) || one.type === 'reasoning' || (one.type === 'function_call' && one.name !== undefined);
  if (!objects.every(isItemOrCall)) return undefined;
  if (objects.some(({ status }) => status === 'incomplete' || status === 'in_progress'))
    throw failed('One of its items is not complete.');
  return { output: objects };
}

/** Joins messages and parts of messages into one reply. */
function replyOf(parts: JsonObject[]): Reply | null {
  const messages = parts.flatMap((one) =>
    readMessage('type' in one || 'role' in one ? one : { role: 'assistant', ...one }),
  );
  const own = messages.filter(({ role }) => role === 'assistant');
  if (messages.some(({ role }) => role === 'tool') || (own.length > 1 && own.length < messages.length))
    throw new UnreadableMessage('its reply is a conversation of several turns, not a single reply');
  if (own.length === 0) throw new UnreadableMessage("its reply holds messages, and none of them is the model's");
  const calls = own.flatMap(({ tool_calls: made }) => (made as Json[] | undefined) ?? []);
  const content = own.map((message) => message.content!).find((one) => one !== null && one !== '') ?? null;
  if (typeof content === 'string' && isHidden(content)) throw new NotRecorded('the content is not recorded');
  const refusal = parts.map((part) => part.refusal ?? null).find((one) => typeof one === 'string' && one !== '');
  const message: JsonObject = {
    role: 'assistant',
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(refusal !== undefined && { refusal }),
  };
  const reason = parts.map(reasonOf).find((one) => one !== null) ?? null;
  const ended = endedReply({ message, usage: NO_USAGE }, reason);
  if (isHostFailure(ended)) throw failed(ended.failed.message);
  return ended;
}
