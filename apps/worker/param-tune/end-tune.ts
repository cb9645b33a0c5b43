import type { LogEvent } from '#lib/contracts/event';
import type { JsonObject } from '#lib/contracts/json/json';
import type { TuneOutcome } from '#lib/tuning/contract';
import type { OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import type { TuneStep } from '#lib/param-tune/rows/arms';
import { toTuned, type TargetOutcome } from '#lib/param-tune/rows/param-tunes';
import { describeConfig } from '#lib/param-tune/space/describe-config';
import type { Here } from './here.js';

/** The last step. What was stopped goes on where it was, when it is resumed. */
export function endTune(
  { orchestration, tune, state }: Here,
  end: OrchestrationEnd = { status: 'completed' },
): Pick<Step, 'state' | 'next' | 'events' | 'end'> {
  const isDone = end.status === 'completed';
  const targets = (state.targets ?? []).map((one) => {
    const outcome = outcomeOf(one);
    return { ...one, outcome, text: sentenceOf(one, outcome, { isDone, heldOut: tune.heldOut.length }) };
  });
  const promoted = orchestration.children.find(({ step }) => step === ('promote' satisfies TuneStep));
  const events: LogEvent[] = [
    {
      name: 'tune_complete',
      data: {
        tune_id: orchestration.id,
        targets: targets.map((one, ordinal) => toTuned(tune.targets[ordinal]!.target, one)),
        promoted_eval_id: promoted?.id ?? null,
      },
    },
  ];
  return { state: { ...state, targets }, next: isDone ? null : orchestration.step, events, end };
}

/** What the held-out cases say of the arm that is recommended. */
export function outcomeOf({ recommended, holdout }: TargetOutcome): TuneOutcome | null {
  if (recommended === null) return null;
  if (recommended === 0) return 'base';
  switch (holdout?.verdict) {
    case 'improved':
      return 'confirmed';
    case 'regressed':
      return 'worse';
    case 'same':
    case 'inconclusive':
      return 'not_confirmed';
    default:
      return 'unconfirmed';
  }
}

function sentenceOf(
  { config, holdout }: TargetOutcome,
  outcome: TuneOutcome | null,
  { isDone, heldOut }: { isDone: boolean; heldOut: number },
): string {
  const values = describeConfig(config as JsonObject | null);
  switch (outcome) {
    case null:
      return 'Nothing is recommended: no combination has scores that can be trusted. See what errored.';
    case 'base':
      return 'Keep the base: nothing that was tried is shown to be better, or as good and cheaper or faster.';
    case 'confirmed':
      return `Take ${values}: it is better than the base on cases that nothing was chosen by. ${holdout!.text}`;
    case 'worse':
      return `Keep the base: ${values} did best where it was chosen, and worse on the held-out cases. ${holdout!.text}`;
    case 'not_confirmed':
      return (
        `${values} did best where it was chosen; on the held-out cases it is not shown to be better. ` + holdout!.text
      );
    case 'unconfirmed':
      return `${values} did best on the cases that it was chosen by, which flatters it: ${whyUnconfirmed()}`;
  }

  function whyUnconfirmed(): string {
    if (!isDone) return 'the tune stopped before the held-out cases could confirm it.';
    if (heldOut === 0) return 'none were held out to confirm it.';
    return holdout?.text ?? 'the held-out cases have no scores to confirm it.';
  }
}
