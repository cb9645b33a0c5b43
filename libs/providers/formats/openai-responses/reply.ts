import { argumentsIn } from '#lib/contracts/call-fields';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { badBody } from '../../replies/host-failure.js';
import type { ReplyFormat, ReplyReader } from '../../replies/model-reply.js';
import { readOpenaiResponsesUsage } from '../../replies/read-usage.js';

const ITEMS = new Set(['message', 'function_call', 'reasoning']);

/** Reads a response of OpenAI's Responses API. Compatible hosts omit its `object` and its `status`. */
export const readOpenaiResponsesReply: ReplyReader = (body) => {
  const { object, output, status = 'completed' } = body;
  const looksLikeResponse = Array.isArray(output) && (output.length === 0 || output.some(isItem));
  if (object !== 'response' && !looksLikeResponse) return undefined;
  if (status !== null && status !== 'completed' && status !== 'incomplete')
    return {
      failed: { message: `The response is "${toText(status).slice(0, 100)}", and holds no reply.`, status: 502 },
    };
  if (!Array.isArray(output)) return badBody('"output" must be a list.');
  if (output.length === 0 && status !== 'incomplete') return badBody('"output" is empty: there is no reply.');
  const items = output.filter(isObject);
  const parts = items.flatMap((item) => (item.type === 'message' ? partsOf(item.content) : []));
  const textsOf = (type: string, key: string) =>
    parts.flatMap((part) => (part.type === type && typeof part[key] === 'string' ? [part[key]] : []));
  const texts = [...textsOf('output_text', 'text'), ...textsOf('text', 'text')];
  const refusals = textsOf('refusal', 'refusal');
  const calls = items.filter((item) => item.type === 'function_call');
  const reasons = items.some((item) => item.type === 'reasoning' || typeof item.phase === 'string');
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...(refusals.length > 0 && { refusal: refusals.join('') }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({
          id: call.call_id ?? null,
          type: 'function',
          function: { name: call.name ?? '', arguments: argumentsIn(call) ?? '' },
        })),
      }),
      // A reasoning model expects its reasoning back with the results of its calls, each item before the one that it
      // led to.
      ...(reasons && { output_items: items }),
    },
    finishReason: finishReasonOf(body, calls.length > 0),
    usage: readOpenaiResponsesUsage(body.usage),
  };
};

export const openaiResponsesReplies: ReplyFormat = {
  readAs: 'openai.responses',
  looks: 'an OpenAI response {output: [...]}',
  read: readOpenaiResponsesReply,
};

const partsOf = (content: Json | undefined): JsonObject[] =>
  typeof content === 'string'
    ? [{ type: 'output_text', text: content }]
    : Array.isArray(content)
      ? content.filter(isObject)
      : [];

const isItem = (item: Json): boolean => isObject(item) && ITEMS.has(item.type as string);

function finishReasonOf({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): string {
  if (status !== 'incomplete' && !isObject(details)) return hasCalls ? 'tool_calls' : 'stop';
  return isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
}
