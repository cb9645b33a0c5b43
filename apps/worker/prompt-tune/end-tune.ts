import type { OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import type { PromptTuneOutcome } from '#lib/tuning/contract';
import { confirmationBy, endStep, describeConfirmation, type TuneEnd } from '../tuning/end-tune.js';
import type { PromptTuneContext } from './tune-context.js';

/** The last step. */
export function endTune(here: PromptTuneContext, end: OrchestrationEnd = { status: 'completed' }): Step {
  const { tune, state } = here;
  const frame = { isDone: end.status === 'completed', heldOut: tune.heldOut.length };
  const outcome = outcomeOf(state, frame);
  const text = sentenceOf(state, outcome, frame);
  const { found, holdout, versionId = null } = state;
  const prompt = {
    best: found?.best ?? null,
    outcome,
    difference: holdout?.difference ?? null,
    ci: holdout?.ci ?? null,
    prompt_version_id: versionId,
  };
  return endStep(here, end, { ...state, outcome, text }, { targets: [], prompt });
}

/** The held-out verdict on the best candidate. Null when there is none. */
export function outcomeOf({ found, holdout }: PromptTuneState, { isDone, heldOut }: TuneEnd): PromptTuneOutcome | null {
  if (!found) return null;
  const confirmation = confirmationBy(holdout);
  const isBaseKept = isDone && found.best === 0 && heldOut > 0;
  return confirmation === 'unconfirmed' && isBaseKept ? 'not_confirmed' : confirmation;
}

function sentenceOf({ found, holdout }: PromptTuneState, outcome: PromptTuneOutcome | null, frame: TuneEnd): string {
  if (!found) return 'Nothing is recommended: the base itself has no scores. See what errored.';
  if (found.best === 0)
    return frame.isDone
      ? 'Keep the base: no text did better on the selection cases.'
      : 'The tune stopped before anything did better than the base.';
  return describeConfirmation(outcome!, { best: `candidate ${found.best}`, among: 'Of all texts, ', holdout }, frame);
}
