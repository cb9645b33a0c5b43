import type { ErrorKind } from '#lib/contracts/run-input';
import { toStorable } from '#lib/contracts/json/storable';

/** Longer messages tell the user nothing new. */
const MAX_MESSAGE_CHARACTERS = 2000;

/** For a wait of at least this length the model rests, and no item waits in a slot of its lane. */
export const MIN_REST_MS = 15 * 60_000;

/** A request that got no reply from a model: a failure of the environment, not of the model. */
export class ProviderFailure extends Error {
  /** The host does not have this model, so every request to it would fail. */
  isModelMissing = false;
  /** Private, so that logging or printing the error does not expose it. */
  #privateBody: string | undefined;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** Whether a retry may help. */
    readonly retryable: boolean,
    /** The wait that the provider asked for; 0 for a 429 without one. `retry-after.ts` describes the whole path. */
    readonly retryAfterMs?: number,
    /** The HTTP status, if there was a response. */
    readonly status?: number,
    /** The body of the response, for the stored exchange and for parsing refusals. */
    public body?: string,
  ) {
    super(toStorable(message).slice(0, MAX_MESSAGE_CHARACTERS));
    this.body &&= toStorable(body!);
  }

  /** The body of a response from a private address, visible only to owners. */
  get privateBody(): string | undefined {
    return this.#privateBody;
  }

  set privateBody(body: string | undefined) {
    this.#privateBody = body && toStorable(body);
  }

  /** A bug of ours in building a request or reading its reply: not the model's fault, and a retry would not help. */
  static internal(error: unknown, body?: string): ProviderFailure {
    const message = `Unexpected internal error: ${(error as Error).message}`;
    const failure = new ProviderFailure('internal', message, false, undefined, undefined, body);
    failure.cause = error;
    return failure;
  }

  /**
   * Whether the provider seems to be down for everyone, as far as one request can tell. A timeout does not count: a
   * single item may take a model too long. Nor does a provider that says in how many hours it is back: its model rests
   * until then.
   */
  get isOutage(): boolean {
    if ((this.retryAfterMs ?? 0) >= MIN_REST_MS) return false;
    return this.retryable && (this.kind === 'network' || this.kind === 'provider_5xx');
  }
}
