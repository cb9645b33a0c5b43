import { isObject } from '#lib/contracts/json/json';
import { argumentsText, readTokenCount, type ReplyReader } from './model-reply.js';

const STOP_REASONS: Record<string, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

/** A whole message of Anthropic's API. */
export const readAnthropicReply: ReplyReader = (answer) => {
  if (!isObject(answer) || answer.type !== 'message' || !Array.isArray(answer.content)) return undefined;
  const blocks = answer.content.filter(isObject);
  const texts = blocks.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  const calls = blocks.filter((block) => block.type === 'tool_use');
  const thinks = blocks.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
  const refusal = isObject(answer.stop_details)
    ? (answer.stop_details.explanation ?? answer.stop_details.category)
    : undefined;
  const usage = isObject(answer.usage) ? answer.usage : {};
  const prompt = [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens].map(
    readTokenCount,
  );
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({
          id: call.id ?? null,
          type: 'function',
          function: { name: call.name ?? '', arguments: argumentsText(call.input) },
        })),
      }),
      ...(answer.stop_reason === 'refusal' && typeof refusal === 'string' && { refusal }),
      // A model that thinks wants its signed thoughts back with the results of its calls, where they stood.
      ...(thinks && { content_blocks: blocks }),
    },
    finishReason:
      typeof answer.stop_reason === 'string' ? (STOP_REASONS[answer.stop_reason] ?? answer.stop_reason) : null,
    promptTokens: prompt[0] === null ? null : prompt.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    completionTokens: readTokenCount(usage.output_tokens),
  };
};
