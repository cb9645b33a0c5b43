import { z } from 'zod';
import { DEFAULT_MARGIN } from '#lib/contracts/values/comparison';
import { TUNE_MODES, TUNE_MEASURES } from '#lib/contracts/values/tunes';
import { CACHE_MODES } from '#lib/contracts/values/runs';
import { Estimate as Comparison, Margin } from '#lib/contracts/comparison';
import { Estimate } from '#lib/contracts/estimate';
import type { Json } from '#lib/contracts/json/json';
import { id, PageQuery, time } from '#lib/contracts/page';
import { RunInput } from '#lib/contracts/run-input';
import { jsonObject } from '#lib/contracts/tool';
import { ARM_STATES, TUNE_OUTCOMES, TUNE_SETTINGS, TUNE_TAIL, tuneHead, TuneSubmitted } from '#lib/tuning/contract';

const settings = RunInput.shape;
/** Beyond this number of arms, a tune is no longer a search. */
export const MAX_ARMS = 10_000;
export const MAX_PARAMETERS = 20;
/** The maximum for all spaces of a tune as JSON, because histories repeat them. */
export const MAX_SPACE_CHARACTERS = 50_000;

const range = {
  min: { type: 'number', description: 'The first value.' },
  max: { type: 'number', description: 'The last value, if a step reaches it.' },
};
/** Validated when it is expanded (`expandAxis`), which describes faults in words and keeps numbers as written. */
export const Axis = z.unknown().meta({
  id: 'ParameterValues',
  description: 'The values of one parameter that a tune tries: a list, a range, or one value.',
  anyOf: [
    { type: 'array', items: {}, description: 'The values.' },
    {
      type: 'object',
      properties: {
        ...range,
        step: { type: 'number', description: 'Added in decimal: 0 to 0.3 by 0.1 ends with 0.3.' },
      },
      required: ['min', 'max', 'step'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: {
        ...range,
        levels: { type: 'integer', description: 'Number of values, including both ends.' },
        scale: { enum: ['linear', 'log'], description: 'Spacing of the values; `linear` by default.' },
      },
      required: ['min', 'max', 'levels'],
      additionalProperties: false,
    },
    { type: ['number', 'string', 'boolean', 'null'], description: 'One value.' },
  ],
}) as unknown as z.ZodType<Json>;

export const ParameterSpace = z.record(z.string().min(1).max(200), Axis).meta({
  id: 'ParameterSpace',
  description:
    `The values to try for each parameter, up to ${MAX_PARAMETERS}: \`temperature\`, \`top_p\`, \`tool_choice\`, ` +
    '`max_tokens`, or any parameter of the provider. Every combination of values is an arm.',
  example: { temperature: { min: 0, max: 1, step: 0.25 }, top_p: [0.5, 1], tool_choice: ['auto', 'required'] },
});

export const ParamTuneInput = z
  .strictObject({
    suite_id: settings.suite_id,
    models: z.array(z.string().min(1).max(300)).min(1).max(20).meta({
      description: 'The models to tune, each independently: `provider_key::model_id`, or an id that one provider has.',
    }),
    search_space: ParameterSpace.default({}).meta({ description: 'The search space of every model without its own.' }),
    per_model_search_spaces: z.record(z.string(), ParameterSpace).default({}).meta({
      description: 'Search spaces of individual models, by their names in `models`, instead of `search_space`.',
    }),
    mode: z
      .preprocess((mode) => (mode === 'bayesian' ? 'adaptive' : mode), z.enum(TUNE_MODES))
      .default('adaptive')
      .meta({
        description:
          '`grid` tries every arm on every case, `random` as many as `trials`. `adaptive` (or `bayesian`) tries some ' +
          'on a few cases, learns which values do well, and gives more cases to the most promising arms.',
      }),
    trials: z
      .int()
      .min(2)
      .max(MAX_ARMS)
      .default(50)
      .meta({ description: 'Number of arms per model that `random` tries.' }),
    base: z
      .strictObject({
        temperature: settings.temperature,
        tool_choice: settings.tool_choice,
        max_tokens: settings.max_tokens,
        params: settings.params,
        system_prompt: settings.system_prompt,
      })
      .prefault({})
      .meta({ description: 'The settings to compare with. They are always one of the arms.' }),
    measure: TUNE_SETTINGS.measure,
    margin: TUNE_SETTINGS.margin,
    samples: TUNE_SETTINGS.samples.meta({ description: 'Samples per case and arm during the search.' }),
    holdout: TUNE_SETTINGS.holdout.meta({
      description:
        'The share of cases that are held out of the search. At the end they show whether the recommended arm is ' +
        'better. At least 10 cases must be held out and 8 remain; with 0, nothing is held out or confirmed.',
    }),
    seed: TUNE_SETTINGS.seed,
    timeout_s: settings.timeout_s,
    budget: settings.budget,
    cache: z.enum(CACHE_MODES).default('use').meta({ description: 'As `cache` of a run.' }),
    prompt_cache: settings.prompt_cache,
    experiment_id: settings.experiment_id,
    max_combinations: z.int().min(1).max(MAX_ARMS).default(500).meta({
      description: 'Maximum number of arms per model that `grid` tries.',
    }),
  })
  .meta({ id: 'ParamTuneInput', description: 'A search for the settings that let models call tools best.' });
export type ParamTuneInput = z.infer<typeof ParamTuneInput>;

export const TuneArm = z
  .object({
    arm: z.int().meta({ description: 'Its number among the arms of its model; 0 is the base.' }),
    target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
    config: jsonObject.meta({ description: 'The values of the parameters.' }),
    resolved: jsonObject
      .nullable()
      .meta({ description: 'The settings sent to the provider, without messages and tools.' }),
    adjustments: z
      .array(z.string())
      .meta({ description: 'Settings that the provider does not accept, or accepts in another form.' }),
    same_as: z.int().nullable().meta({
      description:
        'The arm whose requests are equal after applying the limits of the provider; null when there is none.',
    }),
    state: z.enum(ARM_STATES).meta({ description: 'How far it got.' }),
    rung: z.string().nullable().meta({ description: 'The last rung on which it was measured; null before the first.' }),
    cases: z.int().meta({ description: 'Cases with a score.' }),
    samples: z.int().meta({ description: 'Scored samples of these cases.' }),
    mean: z.number().nullable().meta({ description: 'The mean of the measure over these cases, 0..1.' }),
    ci: z.tuple([z.number(), z.number()]).nullable().meta({ description: 'Its 95 % interval.' }),
    pass_rate: z.number().nullable().meta({ description: 'The share of the scored samples that passed.' }),
    errored: z.int().meta({ description: 'Results without a score. They are not in the mean.' }),
    cost_usd: z.number().nullable().meta({ description: 'US dollars so far; null without prices.' }),
    cost_per_case_usd: z.number().nullable().meta({ description: 'US dollars of one case, on average.' }),
    tokens: z.int().meta({ description: 'Tokens of requests and replies.' }),
    latency_p50_ms: z.number().nullable().meta({ description: 'Median latency.' }),
    latency_p95_ms: z.number().nullable().meta({ description: '95th percentile of the latency.' }),
    tied: z.boolean().meta({ description: 'Whether the best arm is not shown to be better and is within the margin.' }),
    runs: z
      .array(
        z.object({
          eval_id: id.meta({ description: 'The run.' }),
          rung: z.string().meta({ description: 'The part of the tune in which it measured the arm.' }),
        }),
      )
      .meta({ description: 'The runs that measured it.' }),
  })
  .meta({ id: 'TuneArm', description: 'One combination of values, tried with one model.' });
export type TuneArm = z.infer<typeof TuneArm>;

export const ParamTuneTarget = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  arms: z.int().meta({ description: 'Combinations in its space, including the base.' }),
  distinct: z.int().meta({ description: 'Combinations whose requests differ.' }),
  recommended: TuneArm.nullable().meta({ description: 'The recommendation; null until it is known.' }),
  tied: z.array(z.int()).meta({ description: 'Arms that are not distinguishable from the recommended one.' }),
  holdout: Comparison.nullable().meta({ description: 'It against the base, on the held-out cases.' }),
  outcome: z
    .enum(TUNE_OUTCOMES)
    .nullable()
    .meta({
      description:
        '`confirmed`: better than the base on the held-out cases. `not_confirmed`: not shown to be. `worse`: shown ' +
        'to be worse. `base`: the base itself is recommended. `unconfirmed`: nothing was held out, or it stopped.',
    }),
  text: z.string().nullable().meta({ description: 'The outcome in a sentence.' }),
});

export const ParamTune = z
  .object({
    ...tuneHead(ParamTuneInput),
    cases: z
      .object({
        tuning: z.int().meta({ description: 'Cases that are used to choose arms.' }),
        holdout: z.int().meta({ description: 'Cases that confirm the choice.' }),
      })
      .meta({ description: 'How the cases were divided.' }),
    planned_requests: z.int().meta({ description: 'The planned usage.' }),
    targets: z.array(ParamTuneTarget).meta({ description: 'Each model and its recommendation.' }),
    best_over_models: z
      .array(
        z.object({
          arm: z.int().meta({ description: 'Its number, equal for all models.' }),
          config: jsonObject.meta({ description: 'The values of its parameters.' }),
          mean: z.number().meta({ description: 'The mean of its means over all models, 0..1.' }),
        }),
      )
      .meta({
        description:
          'The arms with the best means over all models, at most five, of those that each model was measured with on ' +
          'all tuning cases. Empty in a list, with one model, and where models have their own spaces.',
      }),
    promoted_eval_id: id.nullable().meta({ description: 'The run of the winner in the experiment; null for none.' }),
    ...TUNE_TAIL,
  })
  .meta({ id: 'ParamTune', description: 'A search for settings and its results.' });
export type ParamTune = z.infer<typeof ParamTune>;

export const ParamTuneEstimate = Estimate.extend({
  combinations: z.int().meta({ description: 'Number of arms of all models.' }),
  distinct: z.record(z.string(), z.int()).meta({ description: 'Number of arms per model whose requests differ.' }),
  notes: z.array(z.string()).meta({ description: 'Notes to consider before submitting.' }),
}).meta({ id: 'ParamTuneEstimate', description: 'The expected usage of a tune.' });
export type ParamTuneEstimate = z.infer<typeof ParamTuneEstimate>;

export const CombosQuery = z.strictObject({
  ...PageQuery.shape,
  target: z
    .string()
    .max(500)
    .optional()
    .meta({ description: 'Only the arms of this model.', example: 'openai::gpt-x' }),
});
export type CombosQuery = z.infer<typeof CombosQuery>;

export const ParamTuneSubmitted = TuneSubmitted.meta({
  id: 'ParamTuneSubmitted',
  description: 'A tune that was accepted. It continues in the background.',
});
export type ParamTuneSubmitted = z.infer<typeof ParamTuneSubmitted>;

export const ParamPresetInput = z
  .strictObject({
    name: z.string().trim().min(1).max(200).meta({ description: 'Its name, unique in the team.' }),
    search_space: ParameterSpace.meta({ description: 'The values to try for each parameter.' }),
  })
  .meta({ id: 'ParamPresetInput', description: 'A search space to keep.' });
export type ParamPresetInput = z.infer<typeof ParamPresetInput>;

export const ParamPreset = ParamPresetInput.extend({
  id: id.meta({ description: 'The id of the preset.' }),
  created_at: time.meta({ description: 'When it was created.' }),
}).meta({ id: 'ParamPreset', description: 'A search space that the team keeps.' });
export type ParamPreset = z.infer<typeof ParamPreset>;
