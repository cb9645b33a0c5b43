import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { readTokenCount, type ReplyReader } from './model-reply.js';

/** Reads a response of OpenAI's Responses API. */
export const readOpenaiResponsesReply: ReplyReader = (body) => {
  const isReply =
    isObject(body) &&
    body.object === 'response' &&
    Array.isArray(body.output) &&
    (body.status === 'completed' || body.status === 'incomplete');
  if (!isReply) return undefined;
  const items = (body.output as unknown[]).filter(isObject);
  const parts = items.flatMap((item) =>
    item.type === 'message' && Array.isArray(item.content) ? item.content.filter(isObject) : [],
  );
  const textsOf = (type: string, key: string) =>
    parts.flatMap((part) => (part.type === type && typeof part[key] === 'string' ? [part[key]] : []));
  const texts = textsOf('output_text', 'text');
  const refusals = textsOf('refusal', 'refusal');
  const calls = items.filter((item) => item.type === 'function_call');
  const reasons = items.some((item) => item.type === 'reasoning' || typeof item.phase === 'string');
  const usage = isObject(body.usage) ? body.usage : {};
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...(refusals.length > 0 && { refusal: refusals.join('') }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({
          id: call.call_id ?? null,
          type: 'function',
          function: { name: call.name ?? '', arguments: call.arguments ?? '' },
        })),
      }),
      // A reasoning model expects its reasoning back with the results of its calls, each item before the one that it
      // led to.
      ...(reasons && { output_items: items }),
    },
    finishReason: finishReasonOf(body, calls.length > 0),
    promptTokens: readTokenCount(usage.input_tokens),
    completionTokens: readTokenCount(usage.output_tokens),
  };
};

function finishReasonOf({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): string {
  if (status !== 'incomplete') return hasCalls ? 'tool_calls' : 'stop';
  return isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
}
