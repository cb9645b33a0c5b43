import { asText, isObject, type JsonObject } from '#lib/contracts/json/json';
import { argumentsText, readTokenCount, type ReplyReader } from './model-reply.js';

/** A call that is none: unreadable, of a tool that was not offered, one too many. */
const BAD_CALL = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']);
const BLOCKED = new Set([
  'MODEL_ARMOR',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** A whole answer of Google's generateContent. */
export const readGoogleReply: ReplyReader = (answer) => {
  if (!isObject(answer)) return undefined;
  const usage = isObject(answer.usageMetadata) ? answer.usageMetadata : {};
  const completion = [usage.candidatesTokenCount, usage.thoughtsTokenCount].map(readTokenCount);
  const prompt = [usage.promptTokenCount, usage.toolUsePromptTokenCount].map(readTokenCount);
  const tokens = { promptTokens: sumOf(prompt), completionTokens: sumOf(completion) };
  const candidate = Array.isArray(answer.candidates) ? answer.candidates[0] : undefined;
  if (!isObject(candidate)) {
    const blocked = isObject(answer.promptFeedback) && typeof answer.promptFeedback.blockReason === 'string';
    return blocked
      ? { message: { role: 'assistant', content: null }, finishReason: 'content_filter', ...tokens }
      : undefined;
  }
  const parts =
    isObject(candidate.content) && Array.isArray(candidate.content.parts)
      ? candidate.content.parts.filter(isObject)
      : [];
  const texts = parts.flatMap((part) => (typeof part.text === 'string' && part.thought !== true ? [part.text] : []));
  const calls = parts
    .filter((part) => isObject(part.functionCall))
    .map((part, index) => toCall(part, `${asText(answer.responseId ?? 'call')}_${index}`));
  // A call that Google could not read stands here; it is the model's, and a bad one. Of a good one it says that
  // there is one.
  if (
    texts.length === 0 &&
    calls.length === 0 &&
    BAD_CALL.has(asText(candidate.finishReason)) &&
    typeof candidate.finishMessage === 'string'
  )
    texts.push(candidate.finishMessage);
  const signature =
    calls.length === 0
      ? parts.findLast((part) => typeof part.text === 'string' && part.thoughtSignature !== undefined)?.thoughtSignature
      : undefined;
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
    },
    finishReason:
      typeof candidate.finishReason === 'string' ? toFinishReason(candidate.finishReason, calls.length > 0) : null,
    ...tokens,
  };
};

const sumOf = (counts: (number | null)[]): number | null =>
  counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

function toFinishReason(reason: string, calls: boolean): string {
  if (BLOCKED.has(reason)) return 'content_filter';
  if (reason === 'MAX_TOKENS') return 'length';
  return reason === 'STOP' ? (calls ? 'tool_calls' : 'stop') : reason.toLowerCase();
}

/** Google's own compatible endpoint keeps a signature in the same place. */
function toCall(part: JsonObject, ownId: string): JsonObject {
  const { id, name, args } = part.functionCall as JsonObject;
  return {
    id: id ?? ownId,
    type: 'function',
    function: { name: name ?? '', arguments: argumentsText(args) },
    ...(part.thoughtSignature !== undefined && {
      extra_content: { google: { thought_signature: part.thoughtSignature } },
    }),
  };
}
