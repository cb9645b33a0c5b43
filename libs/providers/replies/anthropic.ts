import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { argumentsText, readTokenCount, type ReplyReader } from './model-reply.js';

const FINISH_REASONS: Record<string, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

/** Reads a message of Anthropic's API. */
export const readAnthropicReply: ReplyReader = (body) => {
  if (!isObject(body) || body.type !== 'message' || !Array.isArray(body.content)) return undefined;
  const blocks = body.content.filter(isObject);
  const texts = blocks.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  const calls = blocks.filter((block) => block.type === 'tool_use');
  const thinks = blocks.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
  const refusal = refusalIn(body);
  const { stop_reason: stopReason } = body;
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
      ...(typeof refusal === 'string' && { refusal }),
      // A thinking model expects its signed thoughts back with the results of its calls, in their original places.
      ...(thinks && { content_blocks: blocks }),
    },
    finishReason: typeof stopReason === 'string' ? (FINISH_REASONS[stopReason] ?? stopReason) : null,
    ...tokensIn(body),
  };
};

function refusalIn({ stop_reason: reason, stop_details: details }: JsonObject): Json | undefined {
  return reason === 'refusal' && isObject(details) ? (details.explanation ?? details.category) : undefined;
}

/** Anthropic counts prompt tokens from the cache apart. */
function tokensIn({ usage: given }: JsonObject): { promptTokens: number | null; completionTokens: number | null } {
  const usage = isObject(given) ? given : {};
  const uncached = readTokenCount(usage.input_tokens);
  const cached = [usage.cache_creation_input_tokens, usage.cache_read_input_tokens].map(readTokenCount);
  return {
    promptTokens: uncached === null ? null : cached.reduce<number>((sum, count) => sum + (count ?? 0), uncached),
    completionTokens: readTokenCount(usage.output_tokens),
  };
}
