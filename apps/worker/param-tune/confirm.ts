import type { Step } from '#lib/db/engine/orchestrations';
import type { TargetOutcome } from '#lib/param-tune/rows/param-tunes';
import { compareHeldOut } from '../tuning/compare-held-out.js';
import type { ParamTuneContext } from './tune-context.js';
import { promoteOrEnd } from './promote.js';
import { armKey, childKey } from './trial-runs.js';

/** Compares the recommended arms with the base on the held-out cases, then promotes the best of them. */
export async function confirm(here: ParamTuneContext): Promise<Step> {
  const { state } = here;
  const targets: TargetOutcome[] = [];
  for (const [ordinal, outcome] of state.targets!.entries())
    targets.push(await compareWithBase(here, ordinal, outcome));
  return promoteOrEnd({ ...here, state: { ...state, targets } });
}

async function compareWithBase(
  here: ParamTuneContext,
  ordinal: number,
  outcome: TargetOutcome,
): Promise<TargetOutcome> {
  const { recommended } = outcome;
  if (recommended === null) return outcome;
  const runOf = (arm: number): string | undefined => {
    const key = childKey({ step: 'holdout', arm: armKey(ordinal, arm) });
    return here.orchestration.children.find((child) => childKey(child) === key)?.id;
  };
  const [base, found] = [runOf(0), runOf(recommended)];
  if (base === undefined || found === undefined) return outcome;
  return { ...outcome, holdout: await compareHeldOut(here, { base, found }) };
}
