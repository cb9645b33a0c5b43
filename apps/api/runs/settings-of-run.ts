import { defaultCachePolicy } from '#lib/contracts/cache-policy';
import { BestConfig } from '#lib/contracts/experiment';
import { metricName, type RunMetric } from '#lib/contracts/metric';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { formatInputError, ProblemError } from '#lib/contracts/input/problem';
import { PROMPT_OF_SUITE } from '#lib/contracts/run-input';
import type { ExperimentRun } from '#lib/db/read/experiment-runs';

/** Settings that runs of earlier releases lack. */
const LEFT_OUT: Partial<BestConfig> = { ...PROMPT_OF_SUITE, prompt_cache: 'off' };

/**
 * The request that submits a run like this one, from its stored settings.
 * @returns null for a recorded run, which sent no requests
 */
export function settingsOf({ config, targets }: ExperimentRun): BestConfig | null {
  if (targets.some(({ recorded }) => recorded)) return null;
  // The judge is not a setting of the run.
  const { judge: _judge, ...settings } = config;
  const metrics = (config.metrics ?? []) as unknown as RunMetric[];
  return {
    ...LEFT_OUT,
    ...(settings as unknown as BestConfig),
    models: targets.map(({ providerKey, modelId, params }) => ({
      provider_key: providerKey,
      model_id: modelId,
      params,
    })),
    // The version belongs to the computed results: a new run uses the current one.
    metrics: metrics.map((metric) => ({ id: metric.id, as: metricName(metric), options: metric.options })),
  };
}

/**
 * Settings of an earlier run, some of them replaced.
 * @param of what the settings belong to, for the error message
 * @throws ProblemError 422 when an earlier release accepted settings that are no longer valid
 */
export function replaceSettings(settings: BestConfig, replaced: Partial<BestConfig>, of: string): BestConfig {
  // The texts of another prompt version replace those of the run.
  const prompt = replaced.prompt_version_id === undefined ? {} : PROMPT_OF_SUITE;
  const parsed = BestConfig.safeParse({ ...settings, ...prompt, ...replaced });
  if (!parsed.success)
    throw new ProblemError(
      422,
      `The settings of the ${of} are no longer valid (${toInputErrors(parsed.error.issues)
        .slice(0, 3)
        .map(formatInputError)
        .join('; ')}). Submit a new run.`,
    ).as('settings_invalid');
  const config = parsed.data;
  if (replaced.models && replaced.system_prompt === undefined) config.system_prompt = promptsOf(config);
  // If the run used the default cache mode, the new settings get their own default. Otherwise a single cached reply
  // would serve as the first of several samples.
  if (replaced.cache === undefined && settings.cache === defaultCachePolicy(settings))
    config.cache = defaultCachePolicy(config);
  return config;
}

/** System prompts without those of models that are left out: a submit would refuse them. */
function promptsOf({ system_prompt: prompts, models }: BestConfig): BestConfig['system_prompt'] {
  if (typeof prompts !== 'object' || prompts === null) return prompts;
  const isAsked = (name: string): boolean =>
    models.some((model) =>
      typeof model === 'string'
        ? name === model || (!model.includes('::') && name.endsWith(`::${model}`))
        : name === `${model.provider_key}::${model.model_id}`,
    );
  return Object.fromEntries(Object.entries(prompts).filter(([name]) => name === '*' || isAsked(name)));
}
