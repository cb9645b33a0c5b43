import { isObject } from '#lib/contracts/json/json';
import { readTokenCount, type ReplyReader } from './model-reply.js';

/** A whole response of OpenAI's Responses API. */
export const readOpenaiResponsesReply: ReplyReader = (answer) => {
  if (
    !isObject(answer) ||
    answer.object !== 'response' ||
    !Array.isArray(answer.output) ||
    (answer.status !== 'completed' && answer.status !== 'incomplete')
  )
    return undefined;
  const items = answer.output.filter(isObject);
  const parts = items.flatMap((item) =>
    item.type === 'message' && Array.isArray(item.content) ? item.content.filter(isObject) : [],
  );
  const texts = (type: string, key: string) =>
    parts.flatMap((part) => (part.type === type && typeof part[key] === 'string' ? [part[key]] : []));
  const [said, refused] = [texts('output_text', 'text'), texts('refusal', 'refusal')];
  const calls = items.filter((item) => item.type === 'function_call');
  const keeps = items.some((item) => item.type === 'reasoning' || typeof item.phase === 'string');
  const reason = isObject(answer.incomplete_details) ? answer.incomplete_details.reason : undefined;
  const usage = isObject(answer.usage) ? answer.usage : {};
  return {
    message: {
      role: 'assistant',
      content: said.length > 0 ? said.join('') : null,
      ...(refused.length > 0 && { refusal: refused.join('') }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({
          id: call.call_id ?? null,
          type: 'function',
          function: { name: call.name ?? '', arguments: call.arguments ?? '' },
        })),
      }),
      // A reasoning model wants its reasoning back with the results of its calls, each item before the one that it
      // led to.
      ...(keeps && { output_items: items }),
    },
    finishReason:
      answer.status === 'incomplete'
        ? reason === 'content_filter'
          ? 'content_filter'
          : 'length'
        : calls.length > 0
          ? 'tool_calls'
          : 'stop',
    promptTokens: readTokenCount(usage.input_tokens),
    completionTokens: readTokenCount(usage.output_tokens),
  };
};
