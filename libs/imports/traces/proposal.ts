import { NO_USAGE } from '#lib/contracts/cost';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { isHostFailure } from '#lib/providers/replies/host-failure';
import { endedReply } from '#lib/providers/replies/model-reply';
import { reasonWord } from '#lib/recorded/read-response';
import { callsOfValue } from '#lib/scoring/replies/call-shape';
import { findJsonSpans } from '#lib/scoring/replies/json-in-text';
import { isUnreadCall, parseReply } from '#lib/scoring/replies/parse-reply';
import { describeBound } from '#lib/scoring/replies/reply-bounds';
import { SYNTAXES } from '#lib/scoring/replies/syntaxes/syntaxes';
import { contentText, splitThoughts } from '#lib/scoring/replies/thoughts';
import { UnreadableMessage } from './chat-messages.js';
import type { Call } from './conversation-cases.js';
import { faultOfJson, mayBeJson, parseIfJson } from './json-text.js';
import { isPrinted } from '#lib/recorded/printed-value';
import type { Reply } from './recorded-reply.js';
import { placeOfEnvelope } from './unread-calls.js';

/**
 * The calls in a recorded reply, read like in a run: including those that its host left in the text. So the same reply
 * passes the case created from it. A reply that a run would not judge gives no proposal.
 * @param besideReason the finish reason, if it is recorded outside the reply
 * @throws UnreadableMessage if the reply was cut off, refused, or makes a call that cannot be read
 */
export function readProposal({ message, finishReason }: Reply, besideReason: Json | undefined, tools: Tool[]): Call[] {
  const beside = endingOf(message, besideReason);
  const ended = finishReason === null ? beside : endingOf(message, finishReason);
  if (isUnreadCall(ended.finishReason))
    throw new UnreadableMessage(`its host could not read the model's call (finish reason "${ended.finishReason}")`);
  const { calls, ending, isCut, oversized, syntax } = parseReply(message, tools, { finishReason: ended.finishReason });
  if (oversized) throw new UnreadableMessage(describeBound(oversized));
  if (isCut || ending === 'cut_off' || beside.finishReason === 'length')
    throw new UnreadableMessage('its reply was cut off at its limit of tokens');
  if (ending === 'refused') throw new UnreadableMessage('the model refused, or a filter took its reply');
  if (calls.length === 0) {
    if ([ended, beside].some(({ finishReason: one }) => one === 'tool_calls' || one === 'function_call'))
      throw new UnreadableMessage('its reply ended with calls, and none is recorded');
    if (syntax !== 'thoughts') refuseUnreadText(contentText(message.content));
  }
  return calls.map(({ name, arguments: params }) => {
    if (!isObject(params)) throw new UnreadableMessage('the arguments of a call are not a JSON object');
    return { tool: name, params };
  });
}

/** The finish reason of a reply, in OpenAI's words. */
function endingOf(message: JsonObject, reason: Json | undefined): { finishReason: string | null } {
  const word = typeof reason === 'string' ? reasonWord(reason) : reason;
  if (word === 'pause_turn') throw new UnreadableMessage('its turn was paused, and continues in another request');
  const ended = endedReply({ message, usage: NO_USAGE }, word);
  if (isHostFailure(ended)) throw new UnreadableMessage(`its reply failed: ${ended.failed.message}`);
  return ended;
}

/** Notations of agents without native calls that a run does not read. */
const AGENT_NOTATIONS = [
  /(?:^|\n)(Action Input:)/,
  /(?:^|\n)(\[\[ ## next_tool_name ## \]\])/,
  /(\*\*\* Suggested tool call)/,
  /(<function_calls>|<invoke>\s{0,20}<tool_name>)/, // Claude, before it had tools
];

const MARKS = SYNTAXES.flatMap(({ marks }) => marks);

/** A text with the mark of a call, or that consists of what looks like calls, is not just text. */
function refuseUnreadText(text: string): void {
  const { said } = splitThoughts(text);
  if (MARKS.some((mark) => said.includes(mark)))
    throw new UnreadableMessage('its reply has a call in its text, which cannot be read');
  const mark = AGENT_NOTATIONS.map((one) => one.exec(said)?.[1]).find((one) => one !== undefined) ?? actionIn(said);
  if (mark !== undefined)
    throw new UnreadableMessage(`its reply has a call in its text ("${mark}"), which a run does not read`);
  if (isPrinted(said)) throw new UnreadableMessage('its reply is a printed object, not JSON');
  const begin = withoutFence(said.trim());
  const fault = mayBeJson(begin) ? faultOfJson(begin) : undefined;
  if (fault !== undefined) throw new UnreadableMessage(`the text of its reply ${fault}`);
  for (const value of valuesIn(begin)) {
    if (callsOfValue(value)?.some((call) => call.arguments !== undefined))
      throw new UnreadableMessage('its reply is a call in its text of a tool that is not among those of the call');
    const place = placeOfEnvelope(value, true);
    if (place !== undefined)
      throw new UnreadableMessage(
        `the text of its reply holds what looks like a call or an answer around one ("${place}")`,
      );
  }
}

/** The action of LangChain's agents that answer in JSON. Their last action is the answer. */
const actionIn = (text: string): string | undefined =>
  /"action_input"\s{0,5}:/.test(text) && !/"action"\s{0,5}:\s{0,5}"Final Answer"/.test(text)
    ? 'action_input'
    : undefined;

/** A text that is a single code block, without its fence. */
const withoutFence = (text: string): string =>
  text.startsWith('```') && text.endsWith('```') && text.length > 6
    ? text.slice(text.indexOf('\n') + 1, -3).trim()
    : text;

/** The JSON in a text. A program may have logged a response with words before it. */
function valuesIn(text: string): Json[] {
  const whole = parseIfJson(text)!;
  if (typeof whole !== 'string') return [whole];
  const parts = [...findJsonSpans(text)].slice(0, MAX_PARTS).map(([from, to]) => parseIfJson(text.slice(from, to))!);
  return parts.filter((part) => typeof part !== 'string');
}
const MAX_PARTS = 1000;
