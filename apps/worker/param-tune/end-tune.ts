import type { JsonObject } from '#lib/contracts/json/json';
import type { OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import { toTuned, type TargetOutcome } from '#lib/param-tune/rows/param-tunes';
import { describeConfig } from '#lib/param-tune/space/describe-config';
import type { TuneOutcome } from '#lib/tuning/contract';
import { confirmationBy, endStep, describeConfirmation, type TuneEnd } from '../tuning/end-tune.js';
import type { ParamTuneContext } from './tune-context.js';

/** The last step. */
export function endTune(here: ParamTuneContext, end: OrchestrationEnd = { status: 'completed' }): Step {
  const { tune, state } = here;
  const frame = { isDone: end.status === 'completed', heldOut: tune.heldOut.length };
  const targets = (state.targets ?? []).map((one) => {
    const outcome = outcomeOf(one);
    return { ...one, outcome, text: sentenceOf(one, outcome, frame) };
  });
  const tuned = targets.map((one, ordinal) => toTuned(tune.targets[ordinal]!.target, one));
  return endStep(here, end, { ...state, targets }, { targets: tuned });
}

/** The held-out verdict on the recommended arm. */
export function outcomeOf({ recommended, holdout }: TargetOutcome): TuneOutcome | null {
  if (recommended === null) return null;
  return recommended === 0 ? 'base' : confirmationBy(holdout);
}

function sentenceOf({ config, holdout }: TargetOutcome, outcome: TuneOutcome | null, frame: TuneEnd): string {
  if (outcome === null)
    return 'Nothing is recommended: no combination has scores that can be trusted. See what errored.';
  if (outcome === 'base')
    return 'Keep the base: no combination is shown to be better, or as good and cheaper or faster.';
  return describeConfirmation(outcome, { best: describeConfig(config as JsonObject | null), holdout }, frame);
}
