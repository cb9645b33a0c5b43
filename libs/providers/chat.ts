import OpenAI, { APIError } from 'openai';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json';
import { failureOfError, failureOfStatus, readRefill } from './classify-failure.js';
import { ProviderFailure } from './failure.js';
import { hideKey, maskKeys } from './mask-keys.js';

/** What a model answered. Its numbers keep their text. */
export interface ChatReply {
  /** The message of the first choice, in OpenAI's format. */
  message: JsonObject;
  finishReason: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  /** The whole answer, as it came. */
  body: Json;
  /** Set when the provider's headers say that nothing is left of one of its limits: when it will be. */
  refilledInMs: number | undefined;
}

export interface ChatEndpoint {
  baseUrl: string;
  apiKey: string | null;
}

export interface ChatClient {
  /**
   * One request, one answer, no retry. `body` is a chat completion request, sent as it is.
   * @throws ProviderFailure when no model answered; the signal's reason when it aborted.
   */
  ask(body: JsonObject, options: { signal: AbortSignal; timeoutMs: number }): Promise<ChatReply>;
}

export function createChatClient(endpoint: ChatEndpoint, fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>): ChatClient {
  const sdk = new OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.apiKey ?? 'none', // the SDK wants one; endpoints without keys ignore it
    organization: null,
    project: null,
    maxRetries: 0, // retries belong to the worker, which knows the lane's budget
    logLevel: 'off',
    fetch,
  });
  return {
    async ask(body, { signal, timeoutMs }) {
      const attempt = new AbortController();
      const abort = (): void => attempt.abort(signal.reason);
      if (signal.aborted) throw signal.reason as Error;
      signal.addEventListener('abort', abort, { once: true });
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        attempt.abort();
      }, timeoutMs);
      try {
        const response = await sdk.chat.completions
          .create(body as never, { signal: attempt.signal, timeout: timeoutMs + 60_000 })
          .asResponse();
        return {
          ...readAnswer(hideKey(await response.text(), endpoint.apiKey), response.headers.get('content-type')),
          refilledInMs: readRefill(response.headers),
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason as Error;
        if (timedOut) throw new ProviderFailure('timeout', `No answer within ${timeoutMs / 1000} s.`, true);
        throw toFailure(error, endpoint);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

function toFailure(error: unknown, { baseUrl, apiKey }: ChatEndpoint): ProviderFailure {
  const failure =
    error instanceof ProviderFailure ? error
    : error instanceof APIError && typeof error.status === 'number'
      ? failureOfStatus(error.status, error.headers as Headers, error.error, error.message, baseUrl)
    : failureOfError(error, baseUrl);
  failure.message = maskKeys(failure.message, apiKey).slice(0, 2000);
  failure.body &&= hideKey(failure.body, apiKey);
  return failure;
}

/** Reads a 200. An answer without a choice is no answer of a model. */
function readAnswer(text: string, contentType: string | null): Omit<ChatReply, 'refilledInMs'> {
  let body: Json;
  try {
    body = parseJson(text);
  } catch {
    const html = contentType?.includes('html') || /^\s*<(!doctype|html)/i.test(text);
    throw new ProviderFailure(
      'bad_response',
      html
        ? 'The endpoint answered a web page instead of JSON. Is the base URL right? Most end in /v1.'
        : `The endpoint answered something that is not JSON: ${text.slice(0, 200)}`,
      !html, undefined, 200, text.slice(0, 100_000),
    );
  }
  const reply = replyIn(body);
  if (!reply) {
    throw new ProviderFailure('bad_response', `The answer holds no choice: ${text.slice(0, 200)}`, true, undefined, 200, text.slice(0, 100_000));
  }
  const usage = isObject(body) && isObject(body.usage) ? body.usage : {};
  return {
    ...reply,
    promptTokens: count(usage.prompt_tokens),
    completionTokens: count(usage.completion_tokens),
    body,
  };
}

/** The first choice of a chat completion. */
export function replyIn(body: Json): Pick<ChatReply, 'message' | 'finishReason'> | undefined {
  const choice = isObject(body) && Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice.message)) return undefined;
  return { message: choice.message, finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : null };
}

const count = (value: Json | undefined): number | null => (Number.isSafeInteger(value) && (value as number) >= 0 ? Math.min(value as number, 2 ** 31 - 1) : null);

/**
 * Some providers answer 400 when the model's output cannot be read as a call, and quote it. That is a reply, and a bad one.
 * @returns the reply as text, or undefined when the failure is of another kind
 */
export function failedGeneration(failure: { status?: unknown; body?: unknown }): JsonObject | undefined {
  if (failure.status !== 400 || typeof failure.body !== 'string') return undefined;
  try {
    const body = parseJson(failure.body);
    const error = isObject(body) && isObject(body.error) ? body.error : body;
    const text = isObject(error) ? error.failed_generation : undefined;
    return typeof text === 'string' ? { role: 'assistant', content: text } : undefined;
  } catch {
    return undefined;
  }
}
