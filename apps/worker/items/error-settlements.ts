import { NO_USAGE } from '#lib/contracts/cost';
import { toStorable } from '#lib/contracts/json/storable';
import type { Outcome, Settlement } from '#lib/db/engine/settle-items';
import type { ProviderFailure } from '#lib/providers/failure';

/** Which item a settlement is of. */
export type ItemIdentity = Pick<Settlement, 'delivery' | 'casePosition' | 'sample' | 'category'>;
/** How that item ended: the rest of its settlement. */
export type ItemResult = Omit<Settlement, keyof ItemIdentity>;

export const errored = (kind: ProviderFailure['kind'], message: string) => ({
  outcome: 'errored' as const,
  error: { kind, message },
});

/** Something unforeseen was thrown. */
export const internalError = (error: unknown): Outcome =>
  errored('internal', toStorable(`Something unforeseen went wrong here: ${(error as Error).message}`).slice(0, 2000));

/** What a settlement says of an item that no model was asked for. */
export const NOT_ASKED = {
  latencyMs: null,
  usage: NO_USAGE,
  costUsd: null,
  cached: false,
  attempts: 0,
  toolChoiceUsed: null,
  exchange: Buffer.alloc(0),
};

/** Ends an item whose processes died again and again while a request of it was under way. */
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
    'Processes died while they worked on this item, so it ran in one of its own, which had no result ' +
      `within ${maxMs / 1000} s.`,
  ),
});

/** Ends an item for which something unforeseen was thrown. What was paid for it counts. */
export const internalErrorSettlement = (
  item: ItemIdentity,
  error: unknown,
  paid: Partial<Pick<Settlement, 'usage' | 'costUsd' | 'attempts'>> = {},
): Settlement => ({
  ...item,
  ...NOT_ASKED,
  ...paid,
  result: internalError(error),
});
