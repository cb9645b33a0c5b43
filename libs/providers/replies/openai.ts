import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { readTokenCount, type ReplyReader } from './model-reply.js';

/** A whole chat completion. */
export const readOpenaiReply: ReplyReader = (answer) => {
  const choice = isObject(answer) && Array.isArray(answer.choices) ? answer.choices[0] : undefined;
  if (!isObject(answer) || !isObject(choice) || !isObject(choice.message)) return undefined;
  const usage = isObject(answer.usage) ? answer.usage : {};
  return {
    message: choice.message,
    finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : null,
    promptTokens: readTokenCount(usage.prompt_tokens),
    completionTokens: completionTokens(usage),
  };
};

/** Some hosts count a model's thoughts in the total alone. They are paid as what it said. */
function completionTokens(usage: JsonObject): number | null {
  const [prompt, completion, total] = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(
    readTokenCount,
  ) as [number | null, number | null, number | null];
  return prompt === null || completion === null || total === null ? completion : Math.max(completion, total - prompt);
}
