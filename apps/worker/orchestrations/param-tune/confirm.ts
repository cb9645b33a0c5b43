import { compareRuns } from '#lib/comparison/compare-runs';
import { DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/comparison';
import type { Step } from '#lib/db/engine/orchestrations';
import type { TargetOutcome } from '#lib/db/read/param-tunes';
import { endTune, spentBudget } from './end-tune.js';
import type { Here } from './here.js';
import { promoteOrEnd } from './promote.js';
import { armKey, childKey } from './trial-runs.js';

/** Compares the recommended arms with the base on the held-out cases, then promotes the best of them. */
export async function confirm(here: Here): Promise<Step> {
  const { orchestration, state } = here;
  const end = here.obstacle ?? spentBudget(orchestration);
  if (end) return endTune(here, end);
  const targets: TargetOutcome[] = [];
  for (const [ordinal, outcome] of state.targets!.entries())
    targets.push(await compareWithBase(here, ordinal, outcome));
  return promoteOrEnd({ ...here, state: { ...state, targets } });
}

async function compareWithBase(
  { pool, orchestration, tune, signal }: Here,
  ordinal: number,
  outcome: TargetOutcome,
): Promise<TargetOutcome> {
  const { recommended } = outcome;
  if (recommended === null) return outcome;
  const runOf = (arm: number): string | undefined => {
    const key = childKey({ step: 'holdout', arm: armKey(ordinal, arm) });
    return orchestration.children.find((child) => childKey(child) === key)?.id;
  };
  const [a, b] = [runOf(0), runOf(recommended)];
  if (a === undefined || b === undefined) return outcome;
  const { margin, measure } = tune.asked;
  const { comparison } = await compareRuns(
    pool,
    orchestration.teamId,
    { a, b, margin, measure, maxErroredShare: DEFAULT_MAX_ERRORED_SHARE, partial: false, settled: true },
    signal,
  );
  return { ...outcome, holdout: comparison.all };
}
