import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { failedGeneration } from '../../replies/failed-generation.js';
import { badBody, errorIn, failureOf, isBadCall, isHostFailure, type HostFailure } from '../../replies/host-failure.js';
import { endedReply, type ReplyFormat, type ReplyReader } from '../../replies/model-reply.js';
import { readNativeCalls } from '../../replies/native-calls.js';
import { readOpenaiUsage } from '../../replies/read-usage.js';

/** Reads a chat completion. */
export const readOpenaiReply: ReplyReader = (body) => {
  const { choices } = body;
  if (choices === undefined) return undefined;
  if (!Array.isArray(choices)) return badBody('"choices" must be a list.');
  if (choices.length === 0) return badBody('"choices" is empty: there is no reply.');
  const read = choices.map(readChoice);
  const failure = read.find(isHostFailure);
  if (failure) return failure;
  const choice = oneReplyOf(read as Choice[]);
  if (isHostFailure(choice)) return choice;
  return endedReply({ message: choice.message, usage: readOpenaiUsage(body.usage) }, choice.reason);
};

export const openaiReplies: ReplyFormat = {
  readAs: 'openai.chat',
  looks: 'an OpenAI chat completion {choices: [{message}]}',
  read: readOpenaiReply,
};

interface Choice {
  message: JsonObject;
  hasCalls: boolean;
  reason: Json | undefined;
}

function readChoice(choice: Json, index: number): Choice | HostFailure {
  const where = `choices[${index}]`;
  if (!isObject(choice)) return badBody(`"${where}" must be an object.`);
  const error = errorIn(choice);
  if (error) {
    const badReply = failedGeneration(error);
    return badReply
      ? { message: badReply.message, hasCalls: false, reason: badReply.finishReason }
      : failureOf(error, 502);
  }
  const { message, finish_reason: reason, native_finish_reason: nativeReason } = choice;
  if (!isObject(message)) return badBody(`"${where}" holds no "message": it is not a chat completion.`);
  const { content, function_call: older } = message;
  if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content))
    return badBody(`${where}.message.content must be a string, a list of blocks, or null.`);
  if (older !== undefined && older !== null && !(isObject(older) && typeof older.name === 'string'))
    return badBody(`${where}.message.function_call must be a call: {"name": ..., "arguments": "..."}.`);
  const unread = Array.isArray(content) ? content.findIndex(isUnreadCall) : -1;
  if (unread >= 0) return badBody(`${where}.message.content[${unread}] holds a call in an unsupported form.`);
  const calls = readNativeCalls(message.tool_calls, `${where}.message`);
  if (calls && isHostFailure(calls)) return calls;
  return {
    message: calls === undefined || calls === message.tool_calls ? message : { ...message, tool_calls: calls },
    hasCalls: (calls?.length ?? 0) > 0 || isObject(older),
    // For a call that Google could not read, OpenRouter says "error" and adds Google's own reason.
    reason: isBadCall(nativeReason) ? nativeReason : reason,
  };
}

/** Whether a content part can only be a call, as no chat completion has it there. */
const isUnreadCall = (part: Json): boolean =>
  isObject(part) &&
  typeof part.text !== 'string' &&
  ['name', 'toolName', 'toolUse', 'functionCall', 'function'].some((key) => part[key] !== undefined);

/**
 * A request asks for one reply. Some hosts put its text into one choice and its calls into another. Several choices
 * with calls are several replies, and picking one would be a guess.
 */
function oneReplyOf(choices: Choice[]): Choice | HostFailure {
  if (choices.length === 1) return choices[0]!;
  const calling = choices.filter(({ hasCalls }) => hasCalls);
  if (calling.length > 1)
    return badBody(`"choices" holds ${choices.length} replies, and one is read: ask for one, or score each by itself.`);
  const [choice = choices[0]!] = calling;
  const content = choice.message.content ?? choices.find(({ message }) => message.content)?.message.content;
  return content === undefined ? choice : { ...choice, message: { ...choice.message, content } };
}
