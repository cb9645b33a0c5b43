import { argumentsIn } from '#lib/contracts/call-fields';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { badBody, failureOf, isBadCall, isHostFailure, type HostFailure } from '../../replies/host-failure.js';
import { argumentsText, endedReply, type ReplyFormat, type ReplyReader } from '../../replies/model-reply.js';
import { readGoogleUsage } from '../../replies/read-usage.js';

/** Reads a response of Google's generateContent. */
export const readGoogleReply: ReplyReader = (body) => {
  const { candidates, promptFeedback: feedback } = body;
  const candidate = Array.isArray(candidates) ? candidates[0] : undefined;
  if (candidate === undefined && isObject(feedback) && typeof feedback.blockReason === 'string')
    return blocked(feedback);
  if (candidates === undefined) return undefined;
  if (!Array.isArray(candidates)) return badBody('"candidates" must be a list.');
  if (candidates.length === 0) return badBody('"candidates" is empty: there is no reply.');
  if (!isObject(candidate)) return badBody('"candidates[0]" must be an object.');
  const { content, finishReason: reason } = candidate;
  if (content === undefined && reason === undefined)
    return badBody('"candidates[0]" holds no "content", and no reason for that.');
  const calling = candidates.filter(isObject).filter(makesCalls);
  if (calling.length > 1)
    return badBody(
      `"candidates" holds ${candidates.length} replies, and one is read: ask for one, or score each by itself.`,
    );
  const message = readCandidate(calling[0] ?? candidate, toText(body.responseId ?? 'call'));
  const ended = endedReply({ message, usage: readGoogleUsage(body.usageMetadata) }, reason);
  if (isHostFailure(ended)) return ended;
  return ended.finishReason === 'stop' && message.tool_calls ? { ...ended, finishReason: 'tool_calls' } : ended;
};

export const googleReplies: ReplyFormat = {
  readAs: 'google.generate_content',
  looks: 'a Gemini answer {candidates: [{content: {parts}}]}',
  read: readGoogleReply,
};

/** A request blocked by Google's filter never reached the model, so it has no reply. */
const blocked = ({ blockReason, blockReasonMessage: message }: JsonObject): HostFailure => {
  const why = `The prompt was blocked: ${toText(blockReason)}${typeof message === 'string' ? ` (${message})` : ''}.`;
  return failureOf({ code: 'content_filter', message: why }, 400);
};

const partsOf = ({ content }: JsonObject): JsonObject[] =>
  isObject(content) ? [content.parts].flat().filter((part) => isObject(part)) : [];

const makesCalls = (candidate: JsonObject): boolean => partsOf(candidate).some((part) => isObject(part.functionCall));

/** @param idPrefix for calls without an id */
function readCandidate(candidate: JsonObject, idPrefix: string): JsonObject {
  const parts = partsOf(candidate);
  const { finishReason: reason, finishMessage } = candidate;
  const textsOf = (isThought: boolean): string[] =>
    parts.flatMap((part) =>
      typeof part.text === 'string' && (part.thought === true) === isThought ? [part.text] : [],
    );
  const [texts, thoughts] = [textsOf(false), textsOf(true)];
  const calls = parts
    .filter((part) => isObject(part.functionCall))
    .map((part, index) => toCall(part, `${idPrefix}_${index}`));
  // The message quotes a call that Google could not read, which is a bad call of the model. It also accompanies good
  // calls, and then only says that there is one.
  const isEmpty = texts.length === 0 && calls.length === 0;
  if (isEmpty && isBadCall(reason) && typeof finishMessage === 'string') texts.push(finishMessage);
  const signature = calls.length === 0 ? signatureOfText(parts) : undefined;
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('') : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  };
}

const signatureOfText = (parts: JsonObject[]): Json | undefined =>
  parts.findLast((part) => typeof part.text === 'string' && part.thoughtSignature !== undefined)?.thoughtSignature;

/** The signature goes where Google's OpenAI-compatible endpoint puts it. */
function toCall(part: JsonObject, fallbackId: string): JsonObject {
  const call = part.functionCall as JsonObject;
  const { id, name } = call;
  return {
    id: id ?? fallbackId,
    type: 'function',
    function: { name: name ?? '', arguments: argumentsText(argumentsIn(call)) },
    ...(part.thoughtSignature !== undefined && {
      extra_content: { google: { thought_signature: part.thoughtSignature } },
    }),
  };
}
