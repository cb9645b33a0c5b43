import { fork, type ChildProcess } from 'node:child_process';
import { parseJson } from '#lib/contracts/json/json';
import type { Claim } from '#lib/db/engine/claim-items';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import type { Settlement } from '#lib/db/engine/settle-items';
import type { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { Permit, PermitUsage } from '#lib/queue/budget/permits';
import type { Logger } from '#lib/runtime/logger';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { Semaphore } from '#lib/runtime/semaphore';
import { crashed, outOfTime, type Place, type Played, type Playing } from './run-item.js';
import type { LaneMeter } from '../health/worker-metrics.js';

/** A suspect has so long from its first request on: others wait to be looked at. */
const LONGEST_MS = 60_000;

/** What goes to the process of a suspect. */
export type ToSuspect =
  { play: Delivery; generation: number } | { answer: number; permit?: Permit; open?: boolean; error?: string };

/** What comes from it. A settlement is JSON, since numbers keep their text in it; its exchange is base64. */
export type FromSuspect =
  | { ask: number; acquire: number }
  | { ask: number; release: Permit; spent: PermitUsage }
  | { attempted: { failure: string | undefined; seconds: number } }
  | { played: string | undefined }
  | { failed: { message: string; stack?: string } };

/**
 * Plays items that processes died of, each in a process of its own, one at a time: if it dies again, it takes no
 * neighbour with it, and it is known to be to blame. It waits for its permit before it waits for the place, so that
 * a lane which is paused or throttled keeps no other lane's suspects waiting.
 */
export class Quarantine {
  readonly #place = new Semaphore(1);

  /** @param of.entry what its processes run */
  constructor(
    readonly logger: Logger,
    readonly of = { entry: threadModule('apps/worker/items/quarantine-main'), longestMs: LONGEST_MS },
  ) {}

  /**
   * @returns how the item ended; undefined when its run is gone
   * @throws the signal's reason when it aborts; what was thrown for the item in its process
   */
  async play(
    { meter, budget }: { meter: LaneMeter; budget: LaneBudget },
    place: Place,
    { crashes }: Claim,
    { signal, works, generation }: Playing,
  ): Promise<Played | undefined> {
    const permit = await budget.acquire(0, signal);
    const held = new Set([permit]);
    try {
      return await this.#place.run(async () => {
        signal.throwIfAborted();
        await works(true);
        this.logger.warn(
          { lane: meter.id, run: place.delivery.runId, item: place.delivery.item, crashes },
          'Playing an item in a process of its own: others died of it',
        );
        const child = fork(this.of.entry, { serialization: 'advanced' });
        const ended = await this.#watch(child, {
          meter,
          budget,
          signal,
          held,
          first: permit,
          send: { play: place.delivery, generation },
        });
        if (ended === 'died') return { settlement: crashed(place, crashes + 1) };
        if (ended === 'late') return { settlement: outOfTime(place, this.of.longestMs) };
        return ended.settlement && { settlement: ended.settlement };
      });
    } finally {
      for (const one of held) void budget.release(one, { tokens: 0 });
    }
  }

  #watch(
    child: ChildProcess,
    of: {
      meter: LaneMeter;
      budget: LaneBudget;
      signal: AbortSignal;
      held: Set<Permit>;
      first: Permit;
      send: ToSuspect;
    },
  ): Promise<{ settlement: Settlement | undefined } | 'died' | 'late'> {
    const { meter, budget, signal, held } = of;
    let first: Permit | undefined = of.first;
    const tell = (message: ToSuspect): void => void (child.connected && child.send(message, () => {}));
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        child.kill('SIGKILL');
        settle();
      };
      const abort = (): void => end(() => reject(signal.reason as Error));
      const timer = setTimeout(() => end(() => resolve('late')), this.of.longestMs);
      signal.addEventListener('abort', abort);

      const acquire = async (ask: number, tokens: number): Promise<void> => {
        const permit = first ?? (await budget.acquire(tokens, signal));
        first = undefined;
        held.add(permit);
        tell({ answer: ask, permit });
      };
      const release = async (ask: number, permit: Permit, spent: PermitUsage): Promise<void> => {
        for (const one of held) if (one.id === permit.id) held.delete(one);
        tell({ answer: ask, open: await budget.release(permit, spent) });
      };
      child.on('message', (message: FromSuspect) => {
        if ('acquire' in message)
          void acquire(message.ask, message.acquire).catch((error: Error) =>
            tell({ answer: message.ask, error: error.message }),
          );
        else if ('release' in message) void release(message.ask, message.release, message.spent);
        else if ('attempted' in message) meter.attempted(message.attempted.failure, message.attempted.seconds);
        else if ('failed' in message)
          end(() => reject(Object.assign(new Error(message.failed.message), { stack: message.failed.stack })));
        else
          end(() => resolve({ settlement: message.played === undefined ? undefined : readSettlement(message.played) }));
      });
      child.on('error', (error) => end(() => reject(error)));
      child.on('exit', () => end(() => resolve('died')));
      tell(of.send);
    });
  }
}

export const writeSettlement = (settlement: Settlement): string =>
  JSON.stringify({ ...settlement, exchange: settlement.exchange.toString('base64') });

function readSettlement(text: string): Settlement {
  const read = parseJson(text) as unknown as Omit<Settlement, 'exchange'> & { exchange: string };
  return { ...read, exchange: Buffer.from(read.exchange, 'base64') };
}
