import { readEnv } from '#lib/runtime/env';
import { createLogger } from '#lib/runtime/logger';
import type { Permits } from '#lib/queue/budget/lane-budget';
import type { Permit, PermitUsage } from '#lib/queue/budget/permits';
import { ItemKit } from './item-kit.js';
import { writeSettlement, type FromSuspect, type ToSuspect } from './quarantine.js';
import { LaneMeters } from '../health/worker-metrics.js';

// The process of an item that others died of. It asks its parent for permits, tells it what became of the item, and
// ends.
const env = readEnv();
const logger = createLogger('worker', env.LOG_LEVEL);
const tell = (message: FromSuspect): Promise<void> =>
  new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));
const kit = new ItemKit(env, logger, {
  meters: new LaneMeters(),
  connections: 2,
  onAttempt: (_lane, failure, seconds) => void tell({ attempted: { failure: failure?.kind, seconds } }),
});

/** The budget of the lane, which the parent keeps. */
class AskedPermits implements Permits {
  readonly #waiting = new Map<number, (answer: Extract<ToSuspect, { answer: number }>) => void>();
  #asked = 0;

  hear(answer: Extract<ToSuspect, { answer: number }>): void {
    this.#waiting.get(answer.answer)?.(answer);
    this.#waiting.delete(answer.answer);
  }

  async acquire(tokens: number): Promise<Permit> {
    const { permit, error } = await this.#ask((ask) => ({ ask, acquire: tokens }));
    if (!permit) throw new Error(error);
    return permit;
  }

  async release(permit: Permit, spent: PermitUsage): Promise<boolean> {
    const { open } = await this.#ask((ask) => ({ ask, release: permit, spent }));
    return open ?? false;
  }

  #ask(message: (ask: number) => FromSuspect): Promise<Extract<ToSuspect, { answer: number }>> {
    const ask = this.#asked++;
    return new Promise((resolve) => {
      this.#waiting.set(ask, resolve);
      void tell(message(ask));
    });
  }
}

const budget = new AskedPermits();
const playing = { permits: () => budget, signal: new AbortController().signal, works: () => Promise.resolve() };

process.on('message', (message: ToSuspect) => {
  if ('answer' in message) return budget.hear(message);
  void kit.runner
    .run(message.play, { ...playing, generation: message.generation })
    .then((played) => tell({ played: played && writeSettlement(played.settlement) }))
    .catch(({ message: text, stack }: Error) => tell({ failed: { message: text, stack } }));
});
// Whoever wanted to know is gone.
process.on('disconnect', () => process.exit());
