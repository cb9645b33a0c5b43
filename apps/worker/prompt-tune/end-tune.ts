import type { LogEvent } from '#lib/contracts/event';
import type { PromptTuneOutcome } from '#lib/tuning/contract';
import type { OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import type { PromptTuneStep } from '#lib/prompt-tune/rows/stored-search';
import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import type { Here } from './here.js';

/** The last step. What was stopped goes on where it was, when it is resumed. */
export function endTune(
  { orchestration, tune, state }: Here,
  end: OrchestrationEnd = { status: 'completed' },
): Pick<Step, 'state' | 'next' | 'events' | 'end'> {
  const isDone = end.status === 'completed';
  const outcome = outcomeOf(state, { isDone, heldOut: tune.heldOut.length });
  const text = sentenceOf(state, outcome, { isDone, heldOut: tune.heldOut.length });
  const promoted = orchestration.children.find(({ step }) => step === ('promote' satisfies PromptTuneStep));
  const { found, holdout, versionId = null } = state;
  const events: LogEvent[] = [
    {
      name: 'tune_complete',
      data: {
        tune_id: orchestration.id,
        targets: [],
        prompt: {
          best: found?.best ?? null,
          outcome,
          difference: holdout?.difference ?? null,
          ci: holdout?.ci ?? null,
          prompt_version_id: versionId,
        },
        promoted_eval_id: promoted?.id ?? null,
      },
    },
  ];
  return { state: { ...state, outcome, text }, next: isDone ? null : orchestration.step, events, end };
}

interface Frame {
  isDone: boolean;
  heldOut: number;
}

/** What the held-out cases say of the best candidate. Null where there is none. */
export function outcomeOf({ found, holdout }: PromptTuneState, { isDone, heldOut }: Frame): PromptTuneOutcome | null {
  if (!found) return null;
  switch (holdout?.verdict) {
    case 'improved':
      return 'confirmed';
    case 'regressed':
      return 'worse';
    case 'same':
    case 'inconclusive':
      return 'not_confirmed';
    default:
      return isDone && found.best === 0 && heldOut > 0 ? 'not_confirmed' : 'unconfirmed';
  }
}

function sentenceOf(
  { found, holdout }: PromptTuneState,
  outcome: PromptTuneOutcome | null,
  { isDone, heldOut }: Frame,
): string {
  if (!found) return 'Nothing is recommended: the base itself has no scores. See what errored.';
  if (found.best === 0)
    return isDone
      ? 'Keep the base: nothing that was tried did better on the cases that texts are chosen by.'
      : 'The tune stopped before anything did better than the base.';
  const best = `candidate ${found.best}`;
  switch (outcome) {
    case 'confirmed':
      return `Take ${best}: it is better than the base on cases that nothing was chosen by. ${holdout!.text}`;
    case 'worse':
      return `Keep the base: ${best} did best where it was chosen, and worse on the held-out cases. ${holdout!.text}`;
    case 'not_confirmed':
      return (
        `Of all texts, ${best} did best where it was chosen; on the held-out cases it is not shown to be ` +
        `better. ` +
        holdout!.text
      );
    default:
      return `Of all texts, ${best} did best on cases that it was chosen by, which flatters it: ${whyUnconfirmed()}`;
  }

  function whyUnconfirmed(): string {
    if (!isDone) return 'the tune stopped before the held-out cases could confirm it.';
    if (heldOut === 0) return 'none were held out to confirm it.';
    return holdout?.text ?? 'the held-out cases have no scores to confirm it.';
  }
}
