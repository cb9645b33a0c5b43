import type { ErrorKind } from '#lib/contracts/run';
import { storable } from '#lib/contracts/json/storable';

/** Longer ones say nothing more to a person. */
const LONGEST_MESSAGE = 2000;

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
    super(storable(message).slice(0, LONGEST_MESSAGE));
    this.body &&= storable(body!);
  }

  /**
   * What nobody foresaw while a request was made or its answer read: neither the model's fault nor worth asking
   * again.
   */
  static internal(error: unknown, body?: string): ProviderFailure {
    const failure = new ProviderFailure(
      'internal',
      `Something unforeseen went wrong here: ${(error as Error).message}`,
      false,
      undefined,
      undefined,
      body,
    );
    failure.cause = error;
    return failure;
  }

  /**
   * Nobody is served while this lasts, as far as one request can tell; a model that takes too long may be that
   * item's fault.
   */
  get isOutage(): boolean {
    return this.retryable && (this.kind === 'network' || this.kind === 'provider_5xx');
  }
}
