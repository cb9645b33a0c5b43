import { compareRuns } from '#lib/comparison/compare-runs';
import { DEFAULT_MAX_ERRORED_SHARE, type Estimate } from '#lib/contracts/comparison';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration } from '#lib/db/engine/orchestrations';

/** What a tune found, against its base: two child runs over the held-out cases. */
export async function compareHeldOut(
  {
    pool,
    orchestration,
    tune: { asked },
    signal,
  }: {
    pool: Pool;
    orchestration: Orchestration;
    tune: { asked: { margin: number; measure: string } };
    signal: AbortSignal;
  },
  { base, found }: { base: string; found: string },
): Promise<Estimate> {
  const { margin, measure } = asked;
  const runs = { a: base, b: found, maxErroredShare: DEFAULT_MAX_ERRORED_SHARE, partial: false, settled: true };
  const { comparison } = await compareRuns(pool, orchestration.teamId, { ...runs, margin, measure }, signal);
  return comparison.all;
}
