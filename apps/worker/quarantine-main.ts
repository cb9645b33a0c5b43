import type { Permits } from '#lib/queue/budget/lane-budget';
import type { Permit, PermitUsage } from '#lib/queue/budget/permits';
import { findTeamIds } from '#lib/db/catalogue/teams';
import { readEnv } from '#lib/runtime/env';
import { OperatorKeys } from '#lib/runtime/key-refs/operator-keys';
import { createLogger } from '#lib/runtime/logger';
import { LaneMeters } from './health/worker-metrics.js';
import { composeItems } from './compose-items.js';
import { ModelResting } from './items/claimed-items.js';
import { printSettlement, type FromChild, type ToChild } from './items/quarantine.js';

// The process of an item whose earlier processes died. It asks its parent for permits, sends it the item's settlement,
// and exits.
const send = (message: FromChild): Promise<void> =>
  new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));

type Outcome = Extract<ToChild, { id: number }>;

/** The budget of the lane, which the parent keeps. */
class ParentPermits implements Permits {
  readonly #pending = new Map<number, (outcome: Outcome) => void>();
  #lastId = 0;

  onOutcome(outcome: Outcome): void {
    this.#pending.get(outcome.id)?.(outcome);
    this.#pending.delete(outcome.id);
  }

  async acquire(tokens: number): Promise<Permit> {
    const { permit, error } = await this.#ask((id) => ({ id, acquire: tokens }));
    if (!permit) throw new Error(error);
    return permit;
  }

  async release(permit: Permit, spent: PermitUsage): Promise<boolean> {
    const { isBreakerOpen } = await this.#ask((id) => ({ id, release: permit, spent }));
    return isBreakerOpen ?? false;
  }

  #ask(message: (id: number) => FromChild): Promise<Outcome> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      void send(message(id));
    });
  }
}

const env = readEnv();
const logger = createLogger('worker', env.LOG_LEVEL);
const keyRefs = await OperatorKeys.read({ file: env.TOOLMARK_KEY_REFS_FILE, logger });
const { runner, pool } = composeItems(env, logger, {
  keyRefs,
  meters: new LaneMeters(),
  maxConnections: 2,
  onAttempt: (_lane, failure, seconds) => void send({ attempted: { failure: failure?.kind, seconds } }),
});
const permits = new ParentPermits();
const context = {
  permits: () => permits,
  signal: new AbortController().signal,
  setActive: () => Promise.resolve(),
};

await keyRefs.watch((names) => findTeamIds(pool, names));

process.on('message', (message: ToChild) => {
  if ('id' in message) return permits.onOutcome(message);
  void runner
    .run(message.run, { ...context, generation: message.generation })
    .then((finished) => send({ finished: finished && printSettlement(finished.settlement) }))
    .catch((error: Error) =>
      error instanceof ModelResting
        ? send({ notAsked: error.asked })
        : send({ failed: { message: error.message, stack: error.stack } }),
    );
});
// The settlement has no receiver any more.
process.on('disconnect', () => process.exit());
