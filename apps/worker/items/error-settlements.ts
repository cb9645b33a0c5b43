import { NO_USAGE } from '#lib/contracts/cost';
import { toStorable } from '#lib/contracts/json/storable';
import type { Outcome, Settlement } from '#lib/db/engine/settle-items';
import type { ProviderFailure } from '#lib/providers/failure';

/** The item that a settlement belongs to. */
export type ItemIdentity = Pick<Settlement, 'delivery' | 'casePosition' | 'sample' | 'category'>;
/** The result of that item: the rest of its settlement. */
export type ItemResult = Omit<Settlement, keyof ItemIdentity>;

export const errored = (kind: ProviderFailure['kind'], message: string) => ({
  outcome: 'errored' as const,
  error: { kind, message },
});

/** An unexpected error was thrown. */
export const internalError = (error: unknown): Outcome =>
  errored('internal', toStorable(`Unexpected internal error: ${(error as Error).message}`).slice(0, 2000));

/** Settlement fields of an item for which no model was asked. */
export const NOT_ASKED = {
  latencyMs: null,
  usage: NO_USAGE,
  costUsd: null,
  cached: false,
  attempts: 0,
  toolChoiceUsed: null,
  exchange: Buffer.alloc(0),
};

/** Ends an item whose processes died repeatedly while it had a request in flight. */
export const crashedSettlement = (item: ItemIdentity, crashes: number): Settlement => ({
  ...item,
  ...NOT_ASKED,
  result: errored('crashed', `The worker died or froze ${crashes} times while it worked on this item.`),
});

/** Ends an item that took too long in quarantine. */
export const timedOutSettlement = (item: ItemIdentity, maxMs: number): Settlement => ({
  ...item,
  ...NOT_ASKED,
  result: errored(
    'timeout',
    'Processes died while they worked on this item, so it ran in a process of its own, which returned no result ' +
      `within ${maxMs / 1000} s.`,
  ),
});

/** Ends an item that threw an unexpected error. Its cost so far counts. */
export const internalErrorSettlement = (
  item: ItemIdentity,
  error: unknown,
  paid: Partial<Pick<Settlement, 'usage' | 'costUsd' | 'attempts' | 'uncounted'>> = {},
): Settlement => ({
  ...item,
  ...NOT_ASKED,
  ...paid,
  result: internalError(error),
});
