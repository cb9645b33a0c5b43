import type { Logger } from '#lib/runtime/logger';

const CHECK_EVERY_MS = 200;
/** An event loop blocked for this long is being held up. */
const MAX_BLOCKED_MS = 1000;
const MAX_PAUSE_MS = 10_000;

/**
 * Detects when the event loop of this process was blocked. The process then takes no new items for the same time, up to
 * `MAX_PAUSE_MS`, so that other workers take the items that would wait here.
 */
export class LoopWatch {
  #lastAt = performance.now();
  #pausedUntil: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param of.pause stops taking items until `resume` */
  constructor(readonly of: { pause: () => void; resume: () => void; logger: Pick<Logger, 'warn'> }) {}

  start(): void {
    this.#lastAt = performance.now();
    this.#timer = setInterval(() => this.check(performance.now()), CHECK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @param now monotonic, in milliseconds */
  check(now: number): void {
    const stoodMs = now - this.#lastAt - CHECK_EVERY_MS;
    this.#lastAt = now;
    if (stoodMs >= MAX_BLOCKED_MS) this.#pause(now, stoodMs);
    else if (this.#pausedUntil !== undefined && now >= this.#pausedUntil) {
      this.#pausedUntil = undefined;
      this.of.resume();
    }
  }

  #pause(now: number, stoodMs: number): void {
    const isPaused = this.#pausedUntil !== undefined;
    this.#pausedUntil = Math.max(this.#pausedUntil ?? 0, now + Math.min(stoodMs, MAX_PAUSE_MS));
    if (isPaused) return;
    this.of.logger.warn(
      { stoodMs: Math.round(stoodMs), pauseMs: Math.round(this.#pausedUntil - now) },
      'The event loop of this worker was blocked; it takes no new items for a while, so that other workers take them',
    );
    this.of.pause();
  }
}
