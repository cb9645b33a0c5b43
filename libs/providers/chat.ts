import { isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { runSerially } from '#lib/runtime/threads/large-work';
import { classifyError, classifyStatus } from './classify-failure.js';
import type { Dialect, Endpoint, Fetch } from './dialects/dialect.js';
import type { Note } from './dialects/note.js';
import { DIALECTS } from './dialects/dialects.js';
import { renameAt, withWireNames } from './dialects/tool-names.js';
import { ProviderFailure } from './failure.js';
import { isFromPrivateAddress } from './guarded/guarded-fetch.js';
import { maskKey, maskKeys } from './guarded/mask-keys.js';
import { modelApiError } from './guarded/private-response.js';
import { isHostFailure } from './replies/host-failure.js';
import type { ModelReply } from './replies/model-reply.js';
import { readBody } from './replies/read-body.js';
import type { ReplyMemory } from './guarded/reply-memory.js';
import { readRefill } from './waits/wait-in-headers.js';

/** How much a failure keeps of a response that holds no reply. */
const MAX_KEPT_CHARACTERS = 100_000;
const MAX_QUOTED_CHARACTERS = 200;

/** The reply to one request. Its numbers keep their text. */
export interface ProviderReply extends ModelReply {
  /** The whole body, as the provider sent it, except that tools have the names of the request. */
  body: Json;
  /** What the provider's format could not express of the request. */
  notes: Note[];
  /** When an exhausted limit refills; set when the provider's headers say that nothing is left of one. */
  refilledInMs: number | undefined;
}

export interface ChatClient {
  /**
   * Sends one request, without retries. `body` is a chat completion request; it is sent in the provider's format. A
   * large response waits for room in `replyMemory`, within the same timeout.
   * @throws ProviderFailure when no model replied; the signal's reason when it aborted
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
      if (signal.aborted) throw signal.reason as Error;
      const attempt = new AbortController();
      const abort = (): void => attempt.abort(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      let isTimedOut = false;
      const timer = setTimeout(() => {
        isTimedOut = true;
        attempt.abort();
      }, timeoutMs);
      try {
        const { named, ownNames, notes: nameNotes } = internalOnError(() => withWireNames(body, dialect.nameRule));
        const { wire, notes } = internalOnError(() => dialect.toWire(named));
        const response = await send(wire, { signal: attempt.signal, timeoutMs, replyMemory });
        const reply = await readResponse(response, dialect, endpoint, ownNames);
        replyMemory?.keep();
        return { ...reply, notes: [...notes, ...nameNotes], refilledInMs: readRefill(response.headers) };
      } catch (error) {
        replyMemory?.drop();
        if (signal.aborted) throw signal.reason as Error;
        if (isTimedOut) throw new ProviderFailure('timeout', `No answer within ${timeoutMs / 1000} s.`, true);
        throw toFailure(error, endpoint);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

/**
 * Runs our own work on a request or a response. An exception in it is a bug: another attempt would fail in the same
 * way, and cost again.
 */
function internalOnError<Result>(work: () => Result, bodyForFailure?: () => string | undefined): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProviderFailure ? error : ProviderFailure.internal(error, bodyForFailure?.());
  }
}

function toFailure(error: unknown, { baseUrl, apiKey }: Endpoint): ProviderFailure {
  const failure = error instanceof ProviderFailure ? error : classifySdkError(error, baseUrl);
  failure.message = maskKeys(failure.message, apiKey);
  failure.body &&= maskKey(failure.body, apiKey);
  return failure;
}

/** The SDKs put the body of an error response into `error`, or only the `error` in that body. */
function classifySdkError(sdkError: unknown, baseUrl: string): ProviderFailure {
  const { status, headers, error, message } = sdkError as {
    status?: unknown;
    headers?: Headers;
    error?: unknown;
    message: string;
  };
  if (typeof status !== 'number') return classifyError(sdkError, baseUrl);
  const inner = isObject(error) && isObject(error.error) ? error.error : error;
  return classifyStatus(status, headers, inner, message, baseUrl);
}

/** Reads a 200. Large ones are read one at a time, so that the thread stays free for other items. */
async function readResponse(
  response: Response,
  dialect: Dialect,
  { baseUrl, apiKey }: Endpoint,
  ownNames: ReadonlyMap<string, string>,
): Promise<ModelReply & { body: Json }> {
  const text = await response.text();
  const isPrivate = isFromPrivateAddress(response);
  const origin = { contentType: response.headers.get('content-type'), baseUrl, isPrivate, ownNames };
  const kept = (): string => maskKey(text, apiKey).slice(0, MAX_KEPT_CHARACTERS);
  const keptBody = (): string | undefined => (isPrivate ? undefined : kept());
  return runSerially(() => {
    try {
      return internalOnError(() => readReply(dialect, maskKey(text, apiKey), origin), keptBody);
    } catch (error) {
      if (isPrivate && isForOwners(text, origin)) (error as ProviderFailure).privateBody = kept();
      throw error;
    }
  }, text.length);
}

interface Origin {
  contentType: string | null;
  baseUrl: string;
  /** A response from a private address that holds no reply is quoted to nobody, and kept for owners alone. */
  isPrivate: boolean;
  /** The tools' own names, by the names that were sent. */
  ownNames: ReadonlyMap<string, string>;
}

function readReply(dialect: Dialect, text: string, origin: Origin): ModelReply & { body: Json } {
  const { isPrivate, baseUrl } = origin;
  let body: Json;
  try {
    body = renameAt(parseJson(text), dialect.calledNamePaths, origin.ownNames);
  } catch {
    throw notJson(text, origin);
  }
  const read = readBody(body, [dialect.fromWire]);
  if (read && !isHostFailure(read)) return { ...read, body };
  if (!read)
    throw badResponse(`The answer holds no reply of a model: ${quote(text, isPrivate)}`, true, text, isPrivate);
  const { message, status, error } = read.failed;
  const isHidden = isPrivate && error !== undefined;
  const shown = isHidden ? modelApiError({ error }) : error;
  const words = isHidden ? toText((shown as JsonObject | undefined)?.message ?? UNSHOWN) : message;
  if (status !== undefined) throw classifyStatus(status, undefined, shown ?? words, words, baseUrl);
  throw badResponse(words, true, text, isPrivate);
}

const isWebPage = (text: string, { contentType }: Origin): boolean =>
  contentType?.includes('html') || /^\s*<(!doctype|html)/i.test(text);

const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]*json|x-ndjson)\b|$)/i;
/** Whether it could be what a model server wrote. A web page or a file of another service is not kept at all. */
const isForOwners = (text: string, origin: Origin): boolean =>
  TEXT_TYPE.test(origin.contentType ?? '') && !isWebPage(text, origin) && !text.includes('\0');

function notJson(text: string, origin: Origin): ProviderFailure {
  const { isPrivate } = origin;
  const isHtml = isWebPage(text, origin);
  const message = isHtml
    ? 'The endpoint answered a web page instead of JSON. Is the base URL right? Most end in /v1.'
    : `The endpoint answered something that is not JSON: ${quote(text, isPrivate)}`;
  return badResponse(message, !isHtml, text, isPrivate);
}

const UNSHOWN = 'it is not shown, because it comes from a private address.';
const quote = (text: string, isPrivate: boolean): string =>
  isPrivate ? UNSHOWN : text.slice(0, MAX_QUOTED_CHARACTERS);

function badResponse(message: string, retryable: boolean, text: string, isPrivate: boolean): ProviderFailure {
  const kept = isPrivate ? undefined : text.slice(0, MAX_KEPT_CHARACTERS);
  return new ProviderFailure('bad_response', message, retryable, undefined, 200, kept);
}
