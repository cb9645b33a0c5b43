import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { readTokenCount, type ReplyReader } from './model-reply.js';

/** Reads a chat completion. */
export const readOpenaiReply: ReplyReader = (body) => {
  const choice = isObject(body) && Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (!isObject(body) || !isObject(choice) || !isObject(choice.message)) return undefined;
  const usage = isObject(body.usage) ? body.usage : {};
  return {
    message: choice.message,
    finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : null,
    promptTokens: readTokenCount(usage.prompt_tokens),
    completionTokens: completionTokens(usage),
  };
};

/** Some hosts count the reasoning of a model in the total alone, but charge for it as for its output. */
function completionTokens(usage: JsonObject): number | null {
  const prompt = readTokenCount(usage.prompt_tokens);
  const completion = readTokenCount(usage.completion_tokens);
  const total = readTokenCount(usage.total_tokens);
  return prompt === null || completion === null || total === null ? completion : Math.max(completion, total - prompt);
}
