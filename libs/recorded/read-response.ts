import { NO_USAGE } from '#lib/contracts/cost';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { readAnthropicReply } from '#lib/providers/formats/anthropic/reply';
import { badBody, type HostFailure } from '#lib/providers/replies/host-failure';
import { endedReply, type ModelReply, type ReplyReader } from '#lib/providers/replies/model-reply';
import { readOpenaiReply } from '#lib/providers/formats/openai/reply';
import { readMessages } from './read-messages.js';

/*
 * Whole responses in formats that no provider kind of a run has: those of other hosts, and of libraries between the
 * model and the recorder. As with the readers of `providers/replies`, undefined means another shape, and a failure
 * means a response without a reply.
 */

/** Reads the output of Bedrock's Converse: `{output: {message: {content: [{text}, {toolUse}]}}, stopReason}`. */
export const readConverseReply: ReplyReader = ({ output, stopReason = null }) => {
  const message = isObject(output) ? output.message : undefined;
  if (!isObject(message) || !Array.isArray(message.content)) return undefined;
  const content = message.content.map((block): Json => {
    const { text, toolUse, reasoningContent } = isObject(block) ? block : {};
    if (isObject(toolUse)) return { ...toolUse, type: 'tool_use', id: toolUse.toolUseId ?? null };
    if (reasoningContent !== undefined) return { type: 'thinking' };
    return typeof text === 'string' ? { type: 'text', text } : block;
  });
  return readAnthropicReply({ type: 'message', content, stop_reason: stopReason });
};

/** Reads one message with a separate finish reason, as in Ollama, Cohere and trace events. */
export const readOneMessage: ReplyReader = (body) => {
  const { message } = body;
  const reason = body.finish_reason ?? body.done_reason;
  const isWhole = reason !== undefined || typeof body.done === 'boolean';
  if (!isObject(message) || !isWhole) return undefined;
  if (body.done === false) return badBody('It is a part of a streamed answer ("done" is false).');
  return readOpenaiReply({ choices: [{ ...body, message, finish_reason: reason ?? null }] });
};

/** Reads a response of Cohere's first API: `{text, tool_calls: [{name, parameters}], generation_id}`. */
export const readCohereReply: ReplyReader = ({ text, tool_calls: calls, generation_id: id, ...body }) =>
  typeof text === 'string' && id !== undefined
    ? readOpenaiReply({
        choices: [{ message: { content: text, tool_calls: calls ?? null }, finish_reason: body.finish_reason ?? null }],
      })
    : undefined;

/** Reads a result of the AI SDK: `{text, toolCalls, finishReason}`, or `{content: [{type: "tool-call"}], ...}`. */
export const readSdkReply: ReplyReader = (body) => {
  const { text, content, toolCalls, steps, finishReason: given } = body;
  const isResult = Array.isArray(toolCalls) || (given !== undefined && (typeof text === 'string' || content));
  if (!isResult || body.role !== undefined) return undefined;
  if (Array.isArray(steps) && steps.length > 1)
    return badBody(`It holds ${steps.length} "steps", each a reply of its own.`);
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const made = Array.isArray(toolCalls) && toolCalls.length > 0 ? toolCalls : callsAmong(parts);
  const said = parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
  const message: JsonObject = {
    role: 'assistant',
    content: typeof text === 'string' ? text : typeof content === 'string' ? content : said.join('') || null,
    tool_calls: made.map(ofSdkCall),
  };
  const reason = isObject(given) ? (given.unified ?? null) : (given ?? null);
  return readOpenaiReply({ choices: [{ message, finish_reason: reason }] });
};

const callsAmong = (parts: JsonObject[]): JsonObject[] =>
  parts.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true);

function ofSdkCall(call: Json): Json {
  if (!isObject(call) || call.toolName === undefined) return call;
  const { toolCallId, toolName, input, args } = call;
  return {
    id: toolCallId ?? null,
    type: 'function',
    function: { name: toolName, arguments: input ?? args ?? null },
  };
}

/** Reads LangChain's LLMResult: `{generations: [[{text, message, generation_info}]]}`. */
export const readGenerations: ReplyReader = ({ generations }) => {
  if (!Array.isArray(generations)) return undefined;
  const made = generations.flat();
  if (made.length === 0) return badBody('"generations" is empty: there is no reply.');
  if (made.length > 1) return badBody(`"generations" holds ${made.length} replies, and one is read.`);
  const [one] = made as [Json];
  const generation = isObject(one) && isObject(one.kwargs) ? one.kwargs : one;
  if (!isObject(generation)) return badBody('"generations" holds no generation.');
  const message = messageOf(generation);
  if (!message) return badBody('"generations" holds neither a "message" nor a "text".');
  return endedReply({ message, usage: NO_USAGE }, reasonOf(generation));
};

/** @throws Error if the message has an unreadable call */
function messageOf({ message, text }: JsonObject): JsonObject | undefined {
  if (isObject(message)) return readMessages([message], '"generations" message ').messages[0]!;
  return typeof text === 'string' ? { role: 'assistant', content: text } : undefined;
}

/** The finish reason of a generation or message, wherever LangChain put the host's word. */
export function reasonOf(holder: JsonObject): Json {
  const inner = ['kwargs', 'message', 'generation_info', 'response_metadata', 'additional_kwargs', 'data'];
  const holders = [holder, ...inner.map((key) => holder[key])].filter(isObject);
  const deeper = holders.flatMap((one) => inner.map((key) => one[key])).filter(isObject);
  const deepest = deeper.flatMap((one) => [one.response_metadata]).filter(isObject);
  for (const one of [...holders, ...deeper, ...deepest]) {
    for (const key of REASON_FIELDS) if (typeof one[key] === 'string') return reasonWord(one[key]);
  }
  return null;
}
/** A reason without the prefix of its enum, which Python prints: `FinishReason.STOP`. */
export const reasonWord = (reason: string): string => reason.slice(0, 200).replace(/^(?:[A-Za-z_]{1,40}\.){1,3}/, '');
/** The field names of hosts and libraries for the finish reason. */
export const REASON_FIELDS = ['finish_reason', 'finishReason', 'stop_reason', 'stopReason', 'done_reason'];

const READERS: readonly ReplyReader[] = [
  readConverseReply,
  readOneMessage,
  readCohereReply,
  readSdkReply,
  readGenerations,
];

/** @throws Error if one of its messages has an unreadable call */
export function readOtherResponse(body: JsonObject): ModelReply | HostFailure | undefined {
  for (const read of READERS) {
    const found = read(body);
    if (found) return found;
  }
  return undefined;
}
