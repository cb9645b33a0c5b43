import type OpenAI from 'openai';
import { withCacheKey } from '../../dialects/cache-request.js';
import { readOpenaiReply } from './reply.js';
import { CHAT_IDS, withUniqueCallIds } from '../../dialects/call-ids.js';
import {
  fetchOptionsWith,
  onlyHeaders,
  sdkTimeoutMs,
  type Dialect,
  type Endpoint,
  type Fetch,
  idsInData,
  type ModelList,
} from '../../dialects/dialect.js';
import { normaliseErrors } from '../../dialects/read-errors.js';
import { OPENAI_NAMES } from '../../dialects/tool-names.js';

const HEADERS = ['accept', 'content-type', 'user-agent', 'authorization'];

/** Loads the package on the first request, so that a process that sends none starts without it. */
export async function openaiSdk(endpoint: Endpoint, fetch: Fetch): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.apiKey ?? 'none', // the SDK requires one; endpoints without keys ignore it
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0, // the worker retries, because it knows the lane's budget
    logLevel: 'off',
    fetch: normaliseErrors(onlyHeaders(fetch, HEADERS, endpoint)),
  });
}

export const OPENAI_MODELS: ModelList = {
  path: { version: /$^/, rest: '/models' },
  headers: (apiKey): Record<string, string> => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  modelIds: idsInData,
};

/** OpenAI's chat completions, the format used everywhere else in the product. */
export const openai: Dialect = {
  nameRule: OPENAI_NAMES,
  calledNamePaths: ['choices.*.message.tool_calls.*.function.name', 'choices.*.message.function_call.name'],

  toWire: (body) => ({ wire: withCacheKey(withUniqueCallIds(body, CHAT_IDS)), notes: [] }),

  connect(endpoint, fetch) {
    let sdk: Promise<OpenAI> | undefined;
    return async (wire, { signal, timeoutMs, replyMemory }) =>
      (await (sdk ??= openaiSdk(endpoint, fetch))).chat.completions
        .create(wire as never, { signal, timeout: sdkTimeoutMs(timeoutMs), ...fetchOptionsWith(replyMemory) })
        .asResponse();
  },

  fromWire: readOpenaiReply,
  modelList: OPENAI_MODELS,
};
