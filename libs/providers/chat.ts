import { asText, isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { runSerially } from '#lib/runtime/threads/large-work';
import { classifyError, classifyStatus, readRefill } from './classify-failure.js';
import type { ModelReply } from './replies/model-reply.js';
import type { Dialect, Endpoint, Fetch, Note } from './dialects/dialect.js';
import { DIALECTS } from './dialects/dialects.js';
import { renameAt, withWireNames } from './dialects/tool-names.js';
import { ProviderFailure } from './failure.js';
import { isFromPrivateAddress } from './guarded/guarded-fetch.js';
import { maskKey, maskKeys } from './guarded/mask-keys.js';
import { modelApiError } from './guarded/private-response.js';
import type { ReplyMemory } from './reply-memory.js';

/** Of an answer that holds no reply. */
const LONGEST_KEPT = 100_000;

/** What a model answered, in OpenAI's format. Its numbers keep their text. */
export interface ProviderReply extends ModelReply {
  /** The whole answer, as it came but for the names of tools, which are the request's own. */
  body: Json;
  /** What the provider's format could not say of the request. */
  notes: Note[];
  /** Set when the provider's headers say that nothing is left of one of its limits: when it will be. */
  refilledInMs: number | undefined;
}

export interface ChatClient {
  /**
   * One request, one answer, no retry. `body` is a chat completion request; it is sent in the provider's format. A
   * large answer waits for room in `replyMemory`, within the same timeout.
   * @throws ProviderFailure when no model answered; the signal's reason when it aborted.
   */
  ask(
    body: JsonObject,
    options: { signal: AbortSignal; timeoutMs: number; replyMemory?: ReplyMemory },
  ): Promise<ProviderReply>;
}

export function createChatClient(kind: ProviderKind, endpoint: Endpoint, fetch: Fetch): ChatClient {
  const dialect = DIALECTS[kind];
  const send = dialect.connect(endpoint, fetch);
  return {
    async ask(body, { signal, timeoutMs, replyMemory }) {
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
        const { named, ownNames, notes: aboutNames } = foreseen(() => withWireNames(body, dialect.nameRule));
        const { wire, notes } = foreseen(() => dialect.toWire(named));
        const response = await send(wire, { signal: attempt.signal, timeoutMs, replyMemory });
        const text = await response.text();
        const isPrivate = isFromPrivateAddress(response);
        const from = {
          contentType: response.headers.get('content-type'),
          baseUrl: endpoint.baseUrl,
          isPrivate,
          ownNames,
        };
        const read = () => readAnswer(dialect, maskKey(text, endpoint.apiKey), from);
        const answer = await runSerially(
          () => foreseen(read, () => (isPrivate ? undefined : maskKey(text.slice(0, LONGEST_KEPT), endpoint.apiKey))),
          text.length,
        );
        replyMemory?.keep();
        return { ...answer, notes: [...notes, ...aboutNames], refilledInMs: readRefill(response.headers) };
      } catch (error) {
        replyMemory?.drop();
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

/**
 * What is done here to a request or an answer. If it fails in a way that nobody thought of, asking again would fail
 * again, and be paid again.
 */
function foreseen<Made>(work: () => Made, answer?: () => string | undefined): Made {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProviderFailure ? error : ProviderFailure.internal(error, answer?.());
  }
}

function toFailure(error: unknown, { baseUrl, apiKey }: Endpoint): ProviderFailure {
  const {
    status,
    headers,
    error: said,
    message,
  } = error as { status?: unknown; headers?: Headers; error?: unknown; message: string };
  const failure =
    error instanceof ProviderFailure
      ? error
      : typeof status === 'number'
        ? classifyStatus(status, headers, saidIn(said), message, baseUrl)
        : classifyError(error, baseUrl);
  failure.message = maskKeys(failure.message, apiKey);
  failure.body &&= maskKey(failure.body, apiKey);
  return failure;
}

/** The SDKs hand out the answer of an error, or the `error` in it. */
const saidIn = (said: unknown): unknown => (isObject(said) && isObject(said.error) ? said.error : said);

interface Origin {
  contentType: string | null;
  baseUrl: string;
  /** What came from a private address and is no reply is quoted to nobody, and kept nowhere. */
  isPrivate: boolean;
  /** Of tools, by those that were sent. */
  ownNames: ReadonlyMap<string, string>;
}

/** Reads a 200. */
function readAnswer(
  dialect: Dialect,
  text: string,
  { contentType, baseUrl, isPrivate, ownNames }: Origin,
): ModelReply & { body: Json } {
  const quote = isPrivate ? 'it is not shown, because it comes from a private address.' : text.slice(0, 200);
  const kept = isPrivate ? undefined : text.slice(0, LONGEST_KEPT);
  let body: Json;
  try {
    body = renameAt(parseJson(text), dialect.calledNamePaths, ownNames);
  } catch {
    const html = contentType?.includes('html') || /^\s*<(!doctype|html)/i.test(text);
    throw new ProviderFailure(
      'bad_response',
      html
        ? 'The endpoint answered a web page instead of JSON. Is the base URL right? Most end in /v1.'
        : `The endpoint answered something that is not JSON: ${quote}`,
      !html,
      undefined,
      200,
      kept,
    );
  }
  const said = dialect.fromWire(body);
  if (!said) {
    const failure = failureInside(isPrivate ? { error: modelApiError(body) ?? null } : body, baseUrl);
    if (failure) throw failure;
    throw new ProviderFailure(
      'bad_response',
      `The answer holds no reply of a model: ${quote}`,
      true,
      undefined,
      200,
      kept,
    );
  }
  return { ...said, body };
}

const STATUS_OF_CODE: Record<string, number> = {
  rate_limit_exceeded: 429,
  server_error: 500,
  invalid_prompt: 400, // OpenAI's Responses
  overloaded_error: 529,
  api_error: 500,
  timeout_error: 504,
  rate_limit_error: 429,
  request_too_large: 413, // Anthropic's types
  not_found_error: 404,
  permission_error: 403,
  billing_error: 402,
  authentication_error: 401,
  invalid_request_error: 400,
};

/**
 * Some hosts answer 200 with an error inside: OpenAI's Responses with a word for its code, Anthropic's with a type,
 * OpenRouter with a status.
 */
function failureInside(body: Json, baseUrl: string): ProviderFailure | undefined {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error)) return undefined;
  const status =
    STATUS_OF_CODE[asText(error.code)] ?? (Number(asText(error.code)) || STATUS_OF_CODE[asText(error.type)] || 0);
  return status >= 400 && status <= 599
    ? classifyStatus(status, undefined, error, JSON.stringify(error), baseUrl)
    : undefined;
}

/** The reply in a kept answer, whichever format it came in: no two of them look alike. */
export function readModelReply(body: Json): ModelReply | undefined {
  for (const dialect of Object.values(DIALECTS)) {
    const said = dialect.fromWire(body);
    if (said) return said;
  }
  return undefined;
}

/**
 * Some providers answer 400 when the model's output cannot be read as a call, and quote it. That is a reply, and a
 * bad one.
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
