import { isObject, type Json } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { isHostFailure } from '#lib/providers/replies/host-failure';
import { endedReply } from '#lib/providers/replies/model-reply';
import { callsOfValue } from '#lib/scoring/replies/call-shape';
import { findJsonSpans } from '#lib/scoring/replies/json-in-text';
import { isUnreadCall, parseReply } from '#lib/scoring/replies/parse-reply';
import { describeBound } from '#lib/scoring/replies/reply-bounds';
import { SYNTAXES } from '#lib/scoring/replies/syntaxes/syntaxes';
import { contentText, splitThoughts } from '#lib/scoring/replies/thoughts';
import { UnreadableMessage } from './chat-messages.js';
import type { Call } from './conversation-cases.js';
import { faultOfJson, mayBeJson, parseIfJson } from './json-text.js';
import type { Reply } from './recorded-reply.js';
import { placeOfEnvelope } from './unread-calls.js';

/**
 * The calls that a recorded reply makes, as a run reads them: also those that its host left in the text. So the same
 * reply passes the case that is made of it. A reply that a run would not judge proposes nothing.
 * @param besideReason how the reply ended, if that is recorded beside it
 * @throws UnreadableMessage if the reply was cut off, refused, or makes a call that cannot be read
 */
export function readProposal({ message, finishReason }: Reply, besideReason: Json | undefined, tools: Tool[]): Call[] {
  const ended =
    finishReason === null && besideReason !== undefined
      ? endedReply({ message, promptTokens: null, completionTokens: null }, besideReason)
      : { finishReason };
  if (isHostFailure(ended)) throw new UnreadableMessage(`its reply failed: ${ended.failed.message}`);
  if (isUnreadCall(ended.finishReason))
    throw new UnreadableMessage(`its host could not read the model's call (finish reason "${ended.finishReason}")`);
  const { calls, ending, isCut, oversized, syntax } = parseReply(message, tools, { finishReason: ended.finishReason });
  if (oversized) throw new UnreadableMessage(describeBound(oversized));
  if (isCut || ending === 'cut_off') throw new UnreadableMessage('its reply was cut off at its limit of tokens');
  if (ending === 'refused') throw new UnreadableMessage('the model refused, or a filter took its reply');
  if (calls.length === 0) {
    if (ended.finishReason === 'tool_calls' || ended.finishReason === 'function_call')
      throw new UnreadableMessage('its reply ended with calls, and none is recorded');
    if (syntax !== 'thoughts') refuseUnreadText(contentText(message.content));
  }
  return calls.map(({ name, arguments: params }) => {
    if (!isObject(params)) throw new UnreadableMessage('the arguments of a call are no JSON object');
    return { tool: name, params };
  });
}

const MARKS = SYNTAXES.flatMap(({ marks }) => marks);

/** A text that has the mark of a call, or that consists of what looks like calls, is no mere text. */
function refuseUnreadText(text: string): void {
  const { said } = splitThoughts(text);
  if (MARKS.some((mark) => said.includes(mark)))
    throw new UnreadableMessage('its reply has a call in its text, which cannot be read');
  if (/(?:^|\n)Action Input:/.test(said))
    throw new UnreadableMessage('its reply has a call in its text ("Action Input:"), which a run does not read');
  const begin = said.trimStart();
  if (!mayBeJson(begin)) return;
  const fault = faultOfJson(begin);
  if (fault !== undefined) throw new UnreadableMessage(`the text of its reply ${fault}`);
  for (const value of valuesIn(begin)) {
    if (callsOfValue(value)?.some((call) => call.arguments !== undefined))
      throw new UnreadableMessage('its reply is a call in its text of a tool that is not among those of the call');
    const place = placeOfEnvelope(value);
    if (place !== undefined)
      throw new UnreadableMessage(
        `the text of its reply holds what looks like a call or an answer around one ("${place}")`,
      );
  }
}

/** The JSON of a text that begins with some. */
function valuesIn(text: string): Json[] {
  const whole = parseIfJson(text)!;
  if (typeof whole !== 'string') return [whole];
  const parts = [...findJsonSpans(text)].slice(0, MAX_PARTS).map(([from, to]) => parseIfJson(text.slice(from, to))!);
  return parts.filter((part) => typeof part !== 'string');
}
const MAX_PARTS = 1000;
