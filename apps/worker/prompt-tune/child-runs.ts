import { PROMPT_OF_SUITE, type RunInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { ChildRun, NewChildRun } from '#lib/db/engine/orchestrations';
import type { NewAsk, StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { PromptTexts } from '#lib/prompt-tune/rows/prompt-tunes';
import { keyOf, type Measure } from '#lib/prompt-tune/search';

type Submitted = Extract<NewChildRun, { submit: unknown }>;
type Settings = Submitted['submit']['input'];

/** The step of a run that asks the meta model. */
const META = 'meta';
/** Suffix for the step of a run that repeats what errored, or could not be read. */
const AGAIN = '.again';

/** The key of the command that a run was made for. In runs that measure, the candidate's number precedes it. */
export const commandOf = ({ arm }: Pick<ChildRun, 'arm'>): string => arm.slice(arm.indexOf('.') + 1);
export const isRepeat = ({ step }: Pick<ChildRun, 'step'>): boolean => step.endsWith(AGAIN);
export const isMeta = ({ step }: Pick<ChildRun, 'step'>): boolean => step.startsWith(META);

/** A run that measures a candidate on some cases, for a command of the search. */
export const measuring = (
  tune: StoredPromptTune,
  command: Measure,
  again?: { cases: readonly number[] },
): NewChildRun => {
  const { candidate, part, firstSample, samples } = command;
  return {
    step: again ? `${part}${AGAIN}` : part,
    arm: `${candidate.id}.${keyOf(command)}`,
    submit: submission(tune, candidate.texts, { cases: again?.cases ?? command.cases, firstSample, samples }),
  };
};

/** A run of some cases with some texts on all models, under the budget of the tune. */
export function submission(
  tune: StoredPromptTune,
  texts: PromptTexts,
  { cases, firstSample, samples }: Pick<Measure, 'cases' | 'firstSample' | 'samples'>,
): Submitted['submit'] {
  const { suite, targets } = tune;
  return {
    suiteId: suite.id,
    input: {
      ...settingsOf(tune, texts, samples),
      models: targets.map(targetName),
      suite_id: suite.id,
    },
    targets,
    of: { suiteVersionId: suite.versionId, positions: cases.toSorted((a, b) => a - b), firstSample },
  };
}

function settingsOf(
  { asked, own, fixed }: StoredPromptTune,
  texts: PromptTexts,
  samples: number,
): Omit<Settings, 'models' | 'suite_id'> {
  return {
    ...NOTHING_ELSE,
    ...textsOfRun({ ...fixed, ...texts }, own),
    temperature: asked.temperature,
    tool_choice: asked.tool_choice,
    max_tokens: asked.max_tokens ?? null,
    params: asked.params,
    timeout_s: asked.timeout_s,
    samples,
    cache: asked.cache,
    prompt_cache: asked.prompt_cache,
  };
}

/** A run lists only the texts that differ from the suite's, so that equal requests are identical. */
function textsOfRun(
  { system_prompt: prompt, ...descriptions }: PromptTexts,
  own: PromptTexts,
): Pick<RunInput, 'base_prompt' | 'tool_overrides'> {
  return {
    base_prompt: prompt === undefined || prompt === own.system_prompt ? null : prompt,
    tool_overrides: Object.fromEntries(Object.entries(descriptions).filter(([key, text]) => text !== own[key])),
  };
}

const NOTHING_ELSE = {
  system_prompt: null,
  ...PROMPT_OF_SUITE,
  metrics: [],
  case_filter: null,
  model_order: 'parallel' as const,
  budget: null,
  prompt_cache: 'off' as const,
  experiment_id: null,
};

/** A request to the meta model, or a repetition of it. */
export function asking(
  tuneId: string,
  { asked, meta }: StoredPromptTune,
  ask: Pick<NewAsk, 'key' | 'position'>,
  again = false,
): NewChildRun {
  return {
    step: again ? `${META}${AGAIN}` : META,
    arm: ask.key,
    submit: {
      suiteId: tuneId,
      input: {
        ...NOTHING_ELSE,
        ...asked.meta_params,
        tool_choice: 'required',
        samples: 1,
        cache: 'off',
        models: [targetName(meta)],
        suite_id: tuneId,
      },
      targets: [meta],
      of: { suiteVersionId: tuneId, positions: [ask.position], firstSample: again ? 1 : 0, isOwn: true },
    },
  };
}
