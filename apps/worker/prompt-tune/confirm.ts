import type { ChildRun, NewChildRun, Step } from '#lib/db/engine/orchestrations';
import { storeHeldOutMeans } from '#lib/prompt-tune/rows/stored-search';
import { CONFIRMING_SAMPLES } from '#lib/tuning/confirmation';
import type { Replayed } from '#lib/prompt-tune/search';
import type { TuneStep } from '#lib/tuning/tune-step';
import { compareHeldOut } from '../tuning/compare-held-out.js';
import { type Progress, withProgress } from '../orchestration/kind.js';
import { submission } from './child-runs.js';
import { endTune } from './end-tune.js';
import type { PromptTuneContext } from './tune-context.js';
import { promoteOrEnd } from './promote.js';

/** After the search: has its result confirmed on the held-out cases. */
export async function afterSearch(
  here: PromptTuneContext,
  { journal, finding }: Replayed,
  step: Progress,
): Promise<Step> {
  const { tune, state } = here;
  const { best, failed } = finding!;
  if (failed !== null)
    return withProgress(
      step,
      endTune(here, { status: 'failed', error: `${failed} Resume the tune once its models reply again.` }),
    );
  const found: PromptTuneContext = {
    ...here,
    state: { ...state, found: { best, texts: journal.candidates[best]!.texts } },
  };
  if (best === 0 || tune.heldOut.length === 0) return withProgress(step, await promoteOrEnd(found));
  const children = [best, 0].map((id): NewChildRun => ({
    step: 'holdout' satisfies TuneStep,
    arm: `${id}.holdout`,
    submit: submission(tune, journal.candidates[id]!.texts, {
      cases: tune.heldOut,
      firstSample: 0,
      samples: CONFIRMING_SAMPLES,
    }),
  }));
  return withProgress(step, { state: found.state, next: 'holdout' satisfies TuneStep, children });
}

/** Compares the best candidate with the base on the held-out cases, then promotes it. */
export async function confirm(here: PromptTuneContext): Promise<Step> {
  const { orchestration, state } = here;
  const { best } = state.found!;
  const [base, found] = [runOf(orchestration.children, 0), runOf(orchestration.children, best)];
  const holdout = await compareHeldOut(here, { base, found });
  const step = await promoteOrEnd({ ...here, state: { ...state, holdout } });
  const means = new Map([
    [0, holdout.mean_a],
    [best, holdout.mean_b],
  ]);
  return withProgress({ store: (client) => storeHeldOutMeans(client, orchestration.id, means) }, step);
}

const runOf = (children: readonly ChildRun[], candidate: number): string =>
  children.find(({ arm }) => arm === `${candidate}.holdout`)!.id;
