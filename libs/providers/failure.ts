import type { ErrorKind } from '#lib/contracts/run';

/** A request that brought no reply of a model: the world being broken, not the model being wrong. */
export class ProviderFailure extends Error {
  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** Trying again may help. */
    readonly retryable: boolean,
    /** What the provider asked to wait; also set, to 0, on a 429 that did not say. */
    readonly retryAfterMs?: number,
    /** HTTP status, where there was an answer. */
    readonly status?: number,
    /** The answer's body, for the stored exchange and for those that read refusals. */
    public body?: string,
  ) {
    super(message);
  }

  /** Nobody is served while this lasts, as far as one request can tell; a model that takes too long may be that item's fault. */
  get isOutage(): boolean {
    return this.retryable && (this.kind === 'network' || this.kind === 'provider_5xx');
  }
}
