import { isObject, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { classifyError, classifyStatus } from './classify-failure.js';
import { errorSecretsOf, secretsOf, type Endpoint, type Fetch } from './dialects/dialect.js';
import type { Note } from './dialects/note.js';
import { DIALECTS } from './formats/formats.js';
import { withWireNames } from './dialects/tool-names.js';
import { ProviderFailure } from './failure.js';
import { isFromPrivateAddress } from './guarded/guarded-fetch.js';
import { maskKeys, maskSecrets, MIN_ERROR_CHARACTERS } from './guarded/mask-keys.js';
import type { ReplyMemory } from './guarded/reply-memory.js';
import { readReply } from './reading/read-reply.js';
import { decodeUtf8, isReadInThread, readReplyInThread, type ReadReply } from './reading/readers.js';
import { readRefill } from './waits/wait-in-headers.js';

/** The reply to one request, with the complete body, in which tools have the names of the request. */
export interface ProviderReply extends ReadReply {
  /** The parts of the request that the provider's format could not express. */
  notes: Note[];
  /** The time until an exhausted limit refills; set when the provider's headers say that a limit is used up. */
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
        const reply = await readResponse(response, kind, endpoint, ownNames, { lane: replyMemory?.lane, signal });
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
 * Runs our own code on a request. An exception in it is a bug: another attempt would fail in the same way, and cost
 * again.
 */
function internalOnError<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProviderFailure ? error : ProviderFailure.internal(error);
  }
}

function toFailure(error: unknown, endpoint: Endpoint): ProviderFailure {
  const failure = error instanceof ProviderFailure ? error : classifySdkError(error, endpoint);
  failure.message = maskKeys(failure.message, errorSecretsOf(endpoint, 4));
  failure.body &&= maskSecrets(failure.body, errorSecretsOf(endpoint, 12), MIN_ERROR_CHARACTERS);
  return failure;
}

/** The SDKs put the body of an error response into `error`, or only the `error` in that body. */
function classifySdkError(sdkError: unknown, endpoint: Endpoint): ProviderFailure {
  const { status, headers, error, message } = sdkError as {
    status?: unknown;
    headers?: Headers;
    error?: unknown;
    message: string;
  };
  if (typeof status !== 'number') return classifyError(sdkError, endpoint.baseUrl);
  const inner = isObject(error) && isObject(error.error) ? error.error : error;
  return classifyStatus(status, headers, inner, message, endpoint);
}

/** Reads a 200. Large ones, and those with many values, are read in threads. */
async function readResponse(
  response: Response,
  kind: ProviderKind,
  endpoint: Endpoint,
  ownNames: ReadonlyMap<string, string>,
  { lane = endpoint.baseUrl, signal }: { lane: string | undefined; signal: AbortSignal },
): Promise<ReadReply> {
  const bytes = await response.bytes();
  const isPrivate = isFromPrivateAddress(response);
  const origin = {
    contentType: response.headers.get('content-type'),
    baseUrl: endpoint.baseUrl,
    secrets: secretsOf(endpoint),
    isPrivate,
    ownNames,
  };
  return isReadInThread(bytes)
    ? readReplyInThread(kind, bytes, origin, { group: lane, signal })
    : readReply(DIALECTS[kind], decodeUtf8(bytes), origin);
}
