import OpenAI from 'openai';
import { readOpenaiReply } from '../replies/openai.js';
import { fetchOptionsWith, onlyHeaders, sdkTimeoutMs, type Dialect, type Endpoint, type Fetch } from './dialect.js';
import { normaliseErrors } from './read-errors.js';
import { OPENAI_NAMES } from './tool-names.js';

const HEADERS = ['accept', 'content-type', 'user-agent', 'authorization'];

export const openaiSdk = ({ baseUrl, apiKey }: Endpoint, fetch: Fetch): OpenAI =>
  new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none', // the SDK requires one; endpoints without keys ignore it
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0, // the worker retries, because it knows the lane's budget
    logLevel: 'off',
    fetch: normaliseErrors(onlyHeaders(fetch, HEADERS)),
  });

/** OpenAI's chat completions, the format that the rest of the product uses. */
export const openai: Dialect = {
  nameRule: OPENAI_NAMES,
  calledNamePaths: ['choices.*.message.tool_calls.*.function.name', 'choices.*.message.function_call.name'],

  toWire: (body) => ({ wire: body, notes: [] }),

  connect(endpoint, fetch) {
    const sdk = openaiSdk(endpoint, fetch);
    return (wire, { signal, timeoutMs, replyMemory }) =>
      sdk.chat.completions
        .create(wire as never, { signal, timeout: sdkTimeoutMs(timeoutMs), ...fetchOptionsWith(replyMemory) })
        .asResponse();
  },

  fromWire: readOpenaiReply,
};
