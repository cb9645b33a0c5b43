import { fork, type ChildProcess } from 'node:child_process';
import { parseJson } from '#lib/contracts/json/json';
import type { Claim } from '#lib/db/engine/claim-items';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import type { AskedRest } from '#lib/db/engine/resting-models';
import type { Settlement } from '#lib/db/engine/settle-items';
import type { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { Permit, PermitUsage } from '#lib/queue/budget/permits';
import type { Logger } from '#lib/runtime/logger';
import { Semaphore } from '#lib/runtime/semaphore';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import type { LaneMeter } from '../health/worker-metrics.js';
import type { ItemContext } from './play-and-score.js';
import { ModelResting } from './claimed-items.js';
import { crashedSettlement, timedOutSettlement, type ItemIdentity } from './error-settlements.js';
import type { ServedLane } from './served-lane.js';
import type { FinishedItem } from './run-item.js';

/** The time limit of an item from its first request: others wait for their turn in quarantine. */
const MAX_RUN_MS = 60_000;

/** Messages to an item's process: first the item, then the results of that process's requests by `id`. */
export type ToChild =
  { run: Delivery; generation: number } | { id: number; permit?: Permit; isBreakerOpen?: boolean; error?: string };

/** Messages from it. A settlement is JSON, because its numbers keep their text; its exchange is base64. */
export type FromChild =
  | { id: number; acquire: number }
  | { id: number; release: Permit; spent: PermitUsage }
  | { attempted: { failure: string | undefined; seconds: number } }
  | { finished: string | undefined }
  | { notAsked: AskedRest | undefined }
  | { failed: { message: string; stack?: string } };

type ChildEnd = { settlement: Settlement | undefined } | 'died' | 'timed out';

/**
 * Runs items whose processes died, one at a time, each in its own process. If that dies as well, no other item is
 * affected, and the item is known to be the cause. An item waits for its permit before it waits for its turn, so that a
 * paused or throttled lane does not hold up the suspects of other lanes.
 */
export class Quarantine {
  readonly #turn = new Semaphore(1);

  /** @param options.entry the script of its processes */
  constructor(
    readonly logger: Logger,
    readonly options = { entry: threadModule('apps/worker/quarantine-main'), maxRunMs: MAX_RUN_MS },
  ) {}

  /**
   * @returns how the item ended; undefined when its run is gone
   * @throws the signal's reason when it aborts; what the item threw in its process; NotAskedNow
   */
  async run(
    { meter, budget }: Pick<ServedLane, 'meter' | 'budget'>,
    item: ItemIdentity,
    { crashes }: Pick<Claim, 'crashes'>,
    { signal, setActive, generation }: ItemContext,
  ): Promise<FinishedItem | undefined> {
    const permits = new ForwardedPermits(budget, await budget.acquire(0, signal), signal);
    try {
      return await this.#turn.run(async () => {
        signal.throwIfAborted();
        await setActive(true);
        this.logger.warn(
          { lane: meter.id, run: item.delivery.runId, item: item.delivery.item, crashes },
          'Running an item in a process of its own because it crashed others',
        );
        const child = fork(this.options.entry, { serialization: 'advanced' });
        const ending = this.#watch(child, meter, permits, signal);
        sendTo(child, { run: item.delivery, generation });
        const ended = await ending;
        if (ended === 'died') return { settlement: crashedSettlement(item, crashes + 1) };
        if (ended === 'timed out') return { settlement: timedOutSettlement(item, this.options.maxRunMs) };
        return ended.settlement && { settlement: ended.settlement };
      });
    } finally {
      permits.releaseAll();
    }
  }

  #watch(child: ChildProcess, meter: LaneMeter, permits: ForwardedPermits, signal: AbortSignal): Promise<ChildEnd> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        child.kill('SIGKILL');
        settle();
      };
      const abort = (): void => end(() => reject(signal.reason as Error));
      const timer = setTimeout(() => end(() => resolve('timed out')), this.options.maxRunMs);
      signal.addEventListener('abort', abort);
      child.on('message', (message: FromChild) => {
        if ('id' in message) void permits.answer(child, message);
        else if ('attempted' in message) meter.recordAttempt(message.attempted.failure, message.attempted.seconds);
        else if ('notAsked' in message) end(() => reject(new ModelResting(message.notAsked)));
        else if ('failed' in message) end(() => reject(errorOf(message.failed)));
        else end(() => resolve({ settlement: message.finished === undefined ? undefined : parse(message.finished) }));
      });
      child.on('error', (error) => end(() => reject(error)));
      child.on('exit', () => end(() => resolve('died')));
    });
  }
}

/** The lane's permits for an item's process, which starts with the permit that the item waited for. */
class ForwardedPermits {
  readonly #held: Set<Permit>;
  #first: Permit | undefined;

  constructor(
    readonly budget: LaneBudget,
    first: Permit,
    readonly signal: AbortSignal,
  ) {
    this.#first = first;
    this.#held = new Set([first]);
  }

  async answer(child: ChildProcess, message: Extract<FromChild, { id: number }>): Promise<void> {
    const { id } = message;
    try {
      if ('acquire' in message) sendTo(child, { id, permit: await this.#acquire(message.acquire) });
      else sendTo(child, { id, isBreakerOpen: await this.#release(message.release, message.spent) });
    } catch (error) {
      sendTo(child, { id, error: (error as Error).message });
    }
  }

  /** Releases the permits that the process did not. */
  releaseAll(): void {
    for (const permit of this.#held) void this.budget.release(permit, { tokens: 0 });
  }

  async #acquire(tokens: number): Promise<Permit> {
    const permit = this.#first ?? (await this.budget.acquire(tokens, this.signal));
    this.#first = undefined;
    this.#held.add(permit);
    return permit;
  }

  #release(permit: Permit, spent: PermitUsage): Promise<boolean> {
    for (const held of this.#held) if (held.id === permit.id) this.#held.delete(held);
    return this.budget.release(permit, spent);
  }
}

const sendTo = (child: ChildProcess, message: ToChild): void => void (child.connected && child.send(message, () => {}));

const errorOf = ({ message, stack }: { message: string; stack?: string }): Error =>
  Object.assign(new Error(message), { stack });

export const printSettlement = (settlement: Settlement): string =>
  JSON.stringify({ ...settlement, exchange: settlement.exchange.toString('base64') });

function parse(text: string): Settlement {
  const settlement = parseJson(text) as unknown as Omit<Settlement, 'exchange'> & { exchange: string };
  return { ...settlement, exchange: Buffer.from(settlement.exchange, 'base64') };
}
