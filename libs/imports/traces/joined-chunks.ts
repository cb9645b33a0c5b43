import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { UnreadableMessage } from './chat-messages.js';
import { parseIfJson } from './json-text.js';

const ANTHROPIC = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/;

const isDelta = (choice: Json): boolean => isObject(choice) && isObject(choice.delta) && !isObject(choice.message);

/** Whether a value is a chunk of a streamed response. */
export const isChunk = ({ object, type, choices, done }: JsonObject): boolean =>
  done === false ||
  object === 'chat.completion.chunk' ||
  (Array.isArray(choices) && choices.length > 0 && choices.every(isDelta)) ||
  (typeof type === 'string' && (ANTHROPIC.test(type) || /^response\.\w/.test(type)));

/** The chunks in the text of an event stream; undefined for any other text. */
export function chunksInText(text: string): JsonObject[] | undefined {
  if (!/^\s{0,10}(?:event: ?\w|data: ?\{)/.test(text)) return undefined;
  const objects: JsonObject[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('data:') || line.startsWith('data: [DONE]')) continue;
    const chunk = parseIfJson(line.slice('data:'.length));
    if (!isObject(chunk)) throw unended();
    objects.push(chunk);
  }
  if (objects.length === 0) throw unended();
  return objects;
}

/**
 * Joins the chunks of a streamed response into the equivalent response without streaming.
 * @throws UnreadableMessage if the last chunk is missing
 */
export function joinChunks(chunks: JsonObject[]): JsonObject {
  if (chunks.every(({ candidates }) => Array.isArray(candidates))) return joinGemini(chunks);
  if (chunks.some(({ type }) => typeof type === 'string' && type.startsWith('response.')))
    return endOfResponses(chunks);
  if (chunks.some(({ type }) => typeof type === 'string' && ANTHROPIC.test(type))) return joinAnthropic(chunks);
  return chunks.some(({ done }) => typeof done === 'boolean') ? joinOllama(chunks) : joinChoices(chunks);
}

const unended = (): UnreadableMessage =>
  new UnreadableMessage('its reply is a part of a streamed answer, and the end of it is not recorded');

const END_OF_RESPONSE = /^response\.(?:completed|done|incomplete|failed|cancelled)$/;

function endOfResponses(chunks: JsonObject[]): JsonObject {
  const end = chunks.findLast(({ type }) => typeof type === 'string' && END_OF_RESPONSE.test(type));
  if (!isObject(end?.response)) throw unended();
  return {
    object: 'response',
    ...end.response,
    ...(end.response.object === 'realtime.response' && { object: 'response' }),
  };
}

function joinGemini(chunks: JsonObject[]): JsonObject {
  const candidates = chunks.flatMap(({ candidates: list }) => (list as Json[]).slice(0, 1)).filter(isObject);
  const last = candidates.findLast(({ finishReason }) => finishReason !== undefined && finishReason !== null);
  if (!last) throw unended();
  const parts = candidates.flatMap(({ content }) =>
    isObject(content) && Array.isArray(content.parts) ? content.parts : [],
  );
  return { candidates: [{ ...last, content: { role: 'model', parts } }] };
}

function joinOllama(chunks: JsonObject[]): JsonObject {
  const last = chunks.at(-1)!;
  if (last.done !== true) throw unended();
  const messages = chunks.flatMap(({ message }) => (isObject(message) ? [message] : []));
  const texts = [...messages.map(({ content }) => content), ...chunks.map(({ response }) => response)];
  const calls = messages.flatMap(({ tool_calls: made }) => (Array.isArray(made) ? made : []));
  return {
    message: {
      role: 'assistant',
      content: texts.filter((text) => typeof text === 'string').join(''),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    done: true,
    done_reason: last.done_reason ?? null,
  };
}

function joinAnthropic(chunks: JsonObject[]): JsonObject {
  const blocks = new Map<Json, JsonObject>();
  const texts = new Map<Json, string[]>();
  let reason: Json | undefined;
  for (const { type, index = null, content_block: block, delta } of chunks) {
    if (type === 'content_block_start' && isObject(block)) blocks.set(index, block);
    if (!isObject(delta)) continue;
    if (type === 'message_delta') reason = delta.stop_reason ?? reason;
    const piece = delta.partial_json ?? delta.text;
    if (typeof piece !== 'string') continue;
    const pieces = texts.get(index) ?? [];
    pieces.push(piece);
    texts.set(index, pieces);
  }
  if (reason === undefined) throw unended();
  const content = [...blocks].map(([index, block]): Json => {
    const text = texts.get(index)?.join('') ?? '';
    if (block.type === 'text')
      return { type: 'text', text: `${typeof block.text === 'string' ? block.text : ''}${text}` };
    if (block.type !== 'tool_use' || text === '') return block;
    return { ...block, input: text };
  });
  return { type: 'message', role: 'assistant', content, stop_reason: reason };
}

function joinChoices(chunks: JsonObject[]): JsonObject {
  const texts: string[] = [];
  const calls = new Map<number, { id: Json; name: string; pieces: string[] }>();
  let reason: Json | undefined;
  for (const { choices } of chunks) {
    for (const choice of Array.isArray(choices) ? choices.filter(isObject) : []) {
      if (choice.index !== undefined && choice.index !== 0)
        throw new UnreadableMessage('its reply is a stream of several choices');
      reason = choice.finish_reason ?? reason;
      const delta = isObject(choice.delta) ? choice.delta : {};
      if (typeof delta.content === 'string') texts.push(delta.content);
      for (const [at, one] of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).entries())
        if (isObject(one)) addPiece(calls, one, at);
    }
  }
  if (reason === undefined) throw unended();
  const made = [...calls].map(([, { id, name, pieces }]) => ({
    id,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }));
  const message: JsonObject = {
    role: 'assistant',
    content: texts.join('') || null,
    ...(made.length && { tool_calls: made }),
  };
  return { choices: [{ message, finish_reason: reason }] };
}

function addPiece(
  calls: Map<number, { id: Json; name: string; pieces: string[] }>,
  piece: JsonObject,
  at: number,
): void {
  const index = typeof piece.index === 'number' ? piece.index : at;
  const call = calls.get(index) ?? { id: piece.id ?? null, name: '', pieces: [] };
  calls.set(index, call);
  const described = isObject(piece.function) ? piece.function : {};
  if (typeof described.name === 'string' && call.name === '') call.name = described.name;
  if (typeof described.arguments === 'string') call.pieces.push(described.arguments);
}
