import { PROMPT_OF_SUITE, type RunConfig } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { ChildRun, NewChildRun } from '#lib/db/engine/orchestrations';
import type { StoredTune, TunedArm } from '#lib/param-tune/rows/arms';
import type { CaseMeans } from '#lib/tuning/rows/for-workers/trial-results';
import type { Measured, Trial } from '#lib/param-tune/search/strategy';

/** The child run of a trial: of one model and arm. A tune has one per rung. */
export const armKey = (ordinal: number, arm: number): string => `${ordinal}.${arm}`;
/** Not one that confirms or promotes. */
export const isOfSearch = ({ step }: ChildRun): boolean => step !== 'holdout' && step !== 'promote';
export const childKey = ({ step, arm }: Pick<ChildRun, 'step' | 'arm'>): string => `${step} ${arm}`;

interface Samples {
  step: string;
  ordinal: number;
  arm: TunedArm;
  positions: readonly number[];
  firstSample: number;
  samples: number;
}

/** A run of some cases with the settings of an arm, under the budget of the tune. */
export function childOf({ asked, suite, targets }: StoredTune, of: Samples): TrialRun {
  const { target } = targets[of.ordinal]!;
  const positions = of.positions.toSorted((a, b) => a - b);
  return {
    step: of.step,
    arm: armKey(of.ordinal, of.arm.arm),
    submit: {
      suiteId: suite.id,
      input: { ...settingsOf(asked, of.arm, of.samples), models: [targetName(target)], suite_id: suite.id },
      targets: [target],
      of: { suiteVersionId: suite.versionId, positions, firstSample: of.firstSample },
    },
  };
}

type TrialRun = Extract<NewChildRun, { submit: unknown }>;
type Settings = TrialRun['submit']['input'];

function settingsOf(asked: StoredTune['asked'], arm: TunedArm, samples: number): Omit<Settings, 'models' | 'suite_id'> {
  return {
    ...(arm.settings as unknown as Pick<RunConfig, 'temperature' | 'tool_choice' | 'max_tokens' | 'params'>),
    samples,
    timeout_s: asked.timeout_s,
    system_prompt: asked.base.system_prompt,
    ...PROMPT_OF_SUITE,
    metrics: [],
    case_filter: null,
    model_order: 'sequential',
    budget: null,
    cache: asked.cache,
    prompt_cache: asked.prompt_cache,
    experiment_id: null,
  };
}

/** The scores measured by a trial, in the order of the cases. */
export const measuredIn = (means: CaseMeans, { from, to }: Trial, order: readonly number[]): Measured =>
  Float64Array.from(order.slice(from, to), (position) => means.get(position) ?? NaN);
