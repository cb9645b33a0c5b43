import { note, withNote, type Note } from '#lib/contracts/note';
import type { NewChildRun, Step } from '#lib/db/engine/orchestrations';
import { readDistinctArms } from '#lib/param-tune/rows/arms';
import type { TargetOutcome } from '#lib/param-tune/rows/param-tunes';
import type { TuneStep } from '#lib/tuning/tune-step';
import { openExperiment } from '../tuning/end-tune.js';
import { endTune, outcomeOf } from './end-tune.js';
import type { ParamTuneContext } from './tune-context.js';
import { armKey, childOf } from './trial-runs.js';

/**
 * Runs the winner again, as an ordinary run in the experiment of the tune: the score that selected an arm is biased
 * upwards, and not a fair comparison. The tune ends when there is no experiment, or nothing that may be better than the
 * base.
 */
export async function promoteOrEnd(here: ParamTuneContext): Promise<Step> {
  const { pool, orchestration, tune, state } = here;
  const winner = winnerOf(state.targets ?? []);
  const endNoting = (added: Note): Step => endTune({ ...here, state: withNote(state, added) });
  const before = orchestration.children.find(({ step }) => step === ('promote' satisfies TuneStep));
  if (before)
    return winner && before.arm !== armKey(winner.ordinal, winner.recommended)
      ? endNoting(note('promoted_before_resume', 'The promoted settings were recommended before the tune was resumed.'))
      : endTune(here);
  if (tune.asked.experiment_id === null || winner === undefined) return endTune(here);
  const experiment = await openExperiment(here, 'recommended settings');
  if (experiment.note !== undefined) return endNoting(experiment.note);
  const arms = await readDistinctArms(pool, orchestration.id);
  const arm = arms.get(winner.ordinal)!.find((one) => one.arm === winner.recommended)!;
  const samples = {
    step: 'promote' satisfies TuneStep,
    ordinal: winner.ordinal,
    arm,
    positions: [...tune.tuning, ...tune.heldOut],
    firstSample: 0,
    samples: tune.asked.samples,
  };
  const { submit, ...child } = childOf(tune, samples);
  const input = { ...submit.input, cache: 'refresh' as const, experiment_id: experiment.id };
  const promoted: NewChildRun = { ...child, submit: { ...submit, input }, listed: true };
  return { state, next: 'promote' satisfies TuneStep, children: [promoted] };
}

/** The best model on the held-out cases, among those whose arm is not shown to be worse than the base. */
function winnerOf(targets: readonly TargetOutcome[]): { ordinal: number; recommended: number } | undefined {
  const [best] = targets
    .flatMap((one, ordinal) => {
      const outcome = outcomeOf(one);
      const mayBeBetter = outcome === 'confirmed' || outcome === 'not_confirmed' || outcome === 'unconfirmed';
      return mayBeBetter
        ? [{ ordinal, recommended: one.recommended!, mean: one.holdout?.mean_b ?? one.mean ?? -1 }]
        : [];
    })
    .sort((a, b) => b.mean - a.mean);
  return best;
}
