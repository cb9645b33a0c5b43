import { toText, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { argumentsText, readTokenCount, type ModelReply, type ReplyReader } from './model-reply.js';

/** Finish reasons for a call that Google could not read, of a tool that was not offered, or one too many. */
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

/** Reads a response of Google's generateContent. */
export const readGoogleReply: ReplyReader = (body) => {
  if (!isObject(body)) return undefined;
  const candidate = Array.isArray(body.candidates) ? body.candidates[0] : undefined;
  if (isObject(candidate)) return { ...readCandidate(candidate, toText(body.responseId ?? 'call')), ...tokensIn(body) };
  const isBlocked = isObject(body.promptFeedback) && typeof body.promptFeedback.blockReason === 'string';
  return isBlocked
    ? { message: { role: 'assistant', content: null }, finishReason: 'content_filter', ...tokensIn(body) }
    : undefined;
};

/** @param idPrefix of the calls that have no id */
function readCandidate(
  { content, finishReason: reason, finishMessage }: JsonObject,
  idPrefix: string,
): Pick<ModelReply, 'message' | 'finishReason'> {
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : [];
  const texts = parts.flatMap((part) => (typeof part.text === 'string' && part.thought !== true ? [part.text] : []));
  const calls = parts
    .filter((part) => isObject(part.functionCall))
    .map((part, index) => toCall(part, `${idPrefix}_${index}`));
  // The message quotes a call that Google could not read, which is a bad call of the model. It also comes with good
  // calls, and then says only that there is one.
  const isEmpty = texts.length === 0 && calls.length === 0;
  if (isEmpty && BAD_CALL.has(toText(reason)) && typeof finishMessage === 'string') texts.push(finishMessage);
  const signature = calls.length === 0 ? signatureOfText(parts) : undefined;
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
    },
    finishReason: typeof reason === 'string' ? toFinishReason(reason, calls.length > 0) : null,
  };
}

const signatureOfText = (parts: JsonObject[]): Json | undefined =>
  parts.findLast((part) => typeof part.text === 'string' && part.thoughtSignature !== undefined)?.thoughtSignature;

function tokensIn({ usageMetadata }: JsonObject): { promptTokens: number | null; completionTokens: number | null } {
  const usage = isObject(usageMetadata) ? usageMetadata : {};
  return {
    promptTokens: sumOf([usage.promptTokenCount, usage.toolUsePromptTokenCount].map(readTokenCount)),
    completionTokens: sumOf([usage.candidatesTokenCount, usage.thoughtsTokenCount].map(readTokenCount)),
  };
}

const sumOf = (counts: (number | null)[]): number | null =>
  counts.every((count) => count === null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

function toFinishReason(reason: string, hasCalls: boolean): string {
  if (BLOCKED.has(reason)) return 'content_filter';
  if (reason === 'MAX_TOKENS') return 'length';
  if (reason === 'STOP') return hasCalls ? 'tool_calls' : 'stop';
  return reason.toLowerCase();
}

/** The signature stands where Google's OpenAI-compatible endpoint puts it. */
function toCall(part: JsonObject, fallbackId: string): JsonObject {
  const { id, name, args } = part.functionCall as JsonObject;
  return {
    id: id ?? fallbackId,
    type: 'function',
    function: { name: name ?? '', arguments: argumentsText(args) },
    ...(part.thoughtSignature !== undefined && {
      extra_content: { google: { thought_signature: part.thoughtSignature } },
    }),
  };
}
