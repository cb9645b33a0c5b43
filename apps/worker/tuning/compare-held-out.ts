import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import { DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/values/comparison';
import type { Estimate } from '#lib/contracts/comparison';
import type { Orchestration } from '#lib/db/engine/orchestrations';

/** Compares a tune's result with its base: two child runs over the held-out cases. */
export async function compareHeldOut(
  {
    comparing,
    orchestration,
    tune: { asked },
    signal,
  }: {
    comparing: Comparer;
    orchestration: Orchestration;
    tune: { asked: { margin: number; measure: string } };
    signal: AbortSignal;
  },
  { base, found }: { base: string; found: string },
): Promise<Estimate> {
  const { margin, measure } = asked;
  const runs = { a: base, b: found, maxErroredShare: DEFAULT_MAX_ERRORED_SHARE, partial: false, settled: true };
  const request = { ...runs, margin, measure, sides: ['the base', 'it'] as const };
  return (await comparing.run({ what: 'compare-in-short', teamId: orchestration.teamId, request }, signal)).all;
}
