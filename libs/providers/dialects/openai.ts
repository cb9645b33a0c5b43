import OpenAI from 'openai';
import { isObject, type JsonObject } from '#lib/contracts/json';
import { held, onlyHeaders, sdkTimeoutMs, tokenCount, type Dialect, type Endpoint, type Fetch } from './dialect.js';
import { plainErrors } from './read-errors.js';
import { PLAIN_NAMES } from './tool-names.js';

const HEADERS = ['accept', 'content-type', 'user-agent', 'authorization'];

export const openaiSdk = ({ baseUrl, apiKey }: Endpoint, fetch: Fetch): OpenAI =>
  new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none', // the SDK wants one; endpoints without keys ignore it
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0, // retries belong to the worker, which knows the lane's budget
    logLevel: 'off',
    fetch: plainErrors(onlyHeaders(fetch, HEADERS)),
  });

/** OpenAI's chat completions, which all the product speaks. */
export const openai: Dialect = {
  names: PLAIN_NAMES,
  calledAt: ['choices.*.message.tool_calls.*.function.name', 'choices.*.message.function_call.name'],

  toWire: (body) => ({ wire: body, notes: [] }),

  connect(endpoint, fetch) {
    const sdk = openaiSdk(endpoint, fetch);
    return (wire, { signal, timeoutMs, replyBytes }) => sdk.chat.completions.create(wire as never, { signal, timeout: sdkTimeoutMs(timeoutMs), ...held(replyBytes) }).asResponse();
  },

  fromWire(answer) {
    const choice = isObject(answer) && Array.isArray(answer.choices) ? answer.choices[0] : undefined;
    if (!isObject(answer) || !isObject(choice) || !isObject(choice.message)) return undefined;
    const usage = isObject(answer.usage) ? answer.usage : {};
    return {
      message: choice.message,
      finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : null,
      promptTokens: tokenCount(usage.prompt_tokens),
      completionTokens: completionTokens(usage),
    };
  },
};

/** Some hosts count a model's thoughts in the total alone. They are paid as what it said. */
function completionTokens(usage: JsonObject): number | null {
  const [prompt, completion, total] = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(tokenCount) as [number | null, number | null, number | null];
  return prompt === null || completion === null || total === null ? completion : Math.max(completion, total - prompt);
}
