import type { Estimate } from '#lib/contracts/comparison';
import { note, type Note } from '#lib/contracts/note';
import type { LogEventData } from '#lib/contracts/event';
import type { OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import { readExperimentOf } from '#lib/tuning/rows/for-workers/dependencies';
import type { TuneStep } from '#lib/tuning/tune-step';
import type { StepContext } from '../orchestration/kind.js';

/** The last step of a tune. A stopped tune continues where it was when it is resumed. */
export function endStep(
  { orchestration }: Pick<StepContext, 'orchestration'>,
  end: OrchestrationEnd,
  state: object,
  found: Pick<LogEventData<'tune_complete'>, 'targets' | 'prompt'>,
): Step {
  const { id, step, children } = orchestration;
  const promoted = children.find((child) => child.step === ('promote' satisfies TuneStep));
  const data = { tune_id: id, ...found, promoted_eval_id: promoted?.id ?? null };
  return { state, next: end.status === 'completed' ? null : step, events: [{ name: 'tune_complete', data }], end };
}

export type Confirmation = 'confirmed' | 'worse' | 'not_confirmed' | 'unconfirmed';

/** The held-out verdict on the result. */
export function confirmationBy(holdout: Estimate | undefined): Confirmation {
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

/** The sentence about "it" as the end of another one. */
const within = (text: string | null): string => text!.replace(/^It /, 'it ');

/** How a tune ended, and with how many held-out cases. */
export interface TuneEnd {
  isDone: boolean;
  heldOut: number;
}

/**
 * The same as a sentence.
 * @param best the name of the best result; `among` precedes it and says what it was chosen from
 */
export function describeConfirmation(
  outcome: Confirmation,
  { best, among = '', holdout }: { best: string; among?: string; holdout: Estimate | undefined },
  { isDone, heldOut }: TuneEnd,
): string {
  switch (outcome) {
    case 'confirmed':
      return `Take ${best}: on the held-out cases, ${within(holdout!.text)}`;
    case 'worse':
      return `Keep the base: ${best} did best on the tuning cases, but on the held-out cases ${within(holdout!.text)}`;
    case 'not_confirmed':
      return (
        `${among}${best} did best on the tuning cases; on the held-out cases it is not shown to be better. ` +
        holdout!.text
      );
    case 'unconfirmed':
      return `${among}${best} did best on the cases used to choose it, an optimistic estimate: ${whyUnconfirmed()}`;
  }

  function whyUnconfirmed(): string {
    if (!isDone) return 'the tune stopped before the held-out cases could confirm it.';
    if (heldOut === 0) return 'none were held out to confirm it.';
    return holdout?.text ?? 'the held-out cases have no scores to confirm it.';
  }
}

/**
 * The experiment that a tune promotes into, or a note on why it cannot.
 * @param found what to run in another one
 */
export async function openExperiment(
  { pool, orchestration }: StepContext,
  found: string,
): Promise<{ id: string; note?: undefined } | { note: Note }> {
  const experiment = await readExperimentOf(pool, orchestration.id);
  if (experiment?.status === 'active') return { id: experiment.id };
  const why = experiment ? 'archived' : 'deleted';
  const text = `Nothing was promoted: the experiment was ${why}. Run the ${found} in another experiment.`;
  return { note: note('not_promoted', text, { why }) };
}
