import type { ErrorKind } from '#lib/contracts/run-input';
import { toStorable } from '#lib/contracts/json/storable';

/** More than that tells a person nothing new. */
const MAX_MESSAGE_CHARACTERS = 2000;

/** From a wait of this length on, the model rests, and nobody waits in a slot of its lane. */
export const MIN_REST_MS = 15 * 60_000;

/** A request that brought no reply of a model: the world is broken, not the model wrong. */
export class ProviderFailure extends Error {
  /** The host has no such model, and would say so to every request. */
  isModelMissing = false;
  /** Kept out of what a log or a message would show of an error. */
  #privateBody: string | undefined;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** Whether trying again may help. */
    readonly retryable: boolean,
    /** The wait that the provider asked for; 0 on a 429 that named none. `retry-after.ts` tells the whole way. */
    readonly retryAfterMs?: number,
    /** The HTTP status, when there was a response. */
    readonly status?: number,
    /** The body of the response, for the stored exchange and for readers of refusals. */
    public body?: string,
  ) {
    super(toStorable(message).slice(0, MAX_MESSAGE_CHARACTERS));
    this.body &&= toStorable(body!);
  }

  /** The body of a response from a private address, which nobody but an owner may see. */
  get privateBody(): string | undefined {
    return this.#privateBody;
  }

  set privateBody(body: string | undefined) {
    this.#privateBody = body && toStorable(body);
  }

  /** A bug of ours in building a request or reading its reply: not the model's fault, and a retry would not help. */
  static internal(error: unknown, body?: string): ProviderFailure {
    const message = `Something unforeseen went wrong here: ${(error as Error).message}`;
    const failure = new ProviderFailure('internal', message, false, undefined, undefined, body);
    failure.cause = error;
    return failure;
  }

  /**
   * Whether the provider serves nobody, as far as one request can tell. A timeout does not count: a single item may
   * take a model too long. Nor does a provider that says in how many hours it is back: its model rests until then.
   */
  get isOutage(): boolean {
    if ((this.retryAfterMs ?? 0) >= MIN_REST_MS) return false;
    return this.retryable && (this.kind === 'network' || this.kind === 'provider_5xx');
  }
}
