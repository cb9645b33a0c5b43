import { z } from 'zod';
import { described, named, namedInput } from '#lib/contracts/named';
import { TUNE_MODES } from '#lib/contracts/values/tunes';
import { CACHE_MODES } from '#lib/contracts/values/runs';
import { Estimate as Comparison } from '#lib/contracts/comparison';
import { Estimate } from '#lib/contracts/estimate';
import type { Json } from '#lib/contracts/json/json';
import { noteFields } from '#lib/contracts/note';
import { id, PageQuery, time } from '#lib/contracts/page';
import { RunInput } from '#lib/contracts/run-input';
import { jsonObject } from '#lib/contracts/tool';
import {
  ARM_STATES,
  TUNE_OUTCOMES,
  TUNE_SETTINGS,
  TUNE_TAIL,
  tuneHead,
  TuneName,
  TuneSubmitted,
} from '#lib/tuning/contract';

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
/**
 * Validated when it is expanded (`expandAxis`), which describes faults in words and keeps numbers as written.
 * @public The API documents it by name.
 */
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

/** @public The API documents it by name. */
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
    name: TuneName,
    models: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(20)
      .describe('The models to tune, each independently: `provider_key::model_id`, or an id that one provider has.'),
    search_space: ParameterSpace.default({}).describe('The search space of every model without its own.'),
    per_model_search_spaces: z
      .record(z.string(), ParameterSpace)
      .default({})
      .describe('Search spaces of individual models, by their names in `models`, instead of `search_space`.'),
    mode: z
      .preprocess((mode) => (mode === 'bayesian' ? 'adaptive' : mode), z.enum(TUNE_MODES))
      .default('adaptive')
      .describe(
        '`grid` tries every arm on every case, `random` as many as `trials`. `adaptive` (or `bayesian`) tries some ' +
          'on a few cases, learns which values do well, and gives more cases to the most promising arms.',
      ),
    trials: z.int().min(2).max(MAX_ARMS).default(50).describe('Number of arms per model that `random` tries.'),
    base: z
      .strictObject({
        temperature: settings.temperature,
        tool_choice: settings.tool_choice,
        max_tokens: settings.max_tokens,
        params: settings.params,
        system_prompt: settings.system_prompt,
      })
      .prefault({})
      .describe('The settings to compare with. They are always one of the arms.'),
    measure: TUNE_SETTINGS.measure,
    margin: TUNE_SETTINGS.margin,
    samples: TUNE_SETTINGS.samples.describe('Samples per case and arm during the search.'),
    holdout: TUNE_SETTINGS.holdout.describe(
      'The share of cases that are held out of the search. At the end they show whether the recommended arm is ' +
        'better. At least 10 cases must be held out and 8 remain; with 0, nothing is held out or confirmed.',
    ),
    seed: TUNE_SETTINGS.seed,
    timeout_s: settings.timeout_s,
    budget: settings.budget,
    cache: z.enum(CACHE_MODES).default('use').describe('As `cache` of a run.'),
    prompt_cache: settings.prompt_cache,
    experiment_id: settings.experiment_id,
    max_combinations: z
      .int()
      .min(1)
      .max(MAX_ARMS)
      .default(500)
      .describe('Maximum number of arms per model that `grid` tries.'),
  })
  .meta({ id: 'ParamTuneInput', description: 'A search for the settings that let models call tools best.' });
export type ParamTuneInput = z.infer<typeof ParamTuneInput>;

export const TuneArm = named('TuneArm', 'One combination of values, tried with one model.', {
  arm: z.int().describe('Its number among the arms of its model; 0 is the base.'),
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  config: jsonObject.describe('The values of the parameters.'),
  resolved: jsonObject.nullable().describe('The settings sent to the provider, without messages and tools.'),
  adjustments: z.array(z.string()).describe('Settings that the provider does not accept, or accepts in another form.'),
  same_as: z
    .int()
    .nullable()
    .describe('The arm whose requests are equal after applying the limits of the provider; null when there is none.'),
  state: z.enum(ARM_STATES).describe('How far it got.'),
  rung: z.string().nullable().describe('The last rung on which it was measured; null before the first.'),
  cases: z.int().describe('Cases with a score.'),
  samples: z.int().describe('Scored samples of these cases.'),
  mean: z.number().nullable().describe('The mean of the measure over these cases, 0..1.'),
  ci: z.tuple([z.number(), z.number()]).nullable().describe('Its 95 % interval.'),
  pass_rate: z.number().nullable().describe('The share of the scored samples that passed.'),
  errored: z.int().describe('Results without a score. They are not in the mean.'),
  cost_usd: z.number().nullable().describe('US dollars so far; null without prices.'),
  cost_per_case_usd: z.number().nullable().describe('US dollars of one case, on average.'),
  tokens: z.int().describe('Tokens of requests and replies.'),
  latency_p50_ms: z.number().nullable().describe('Median latency.'),
  latency_p95_ms: z.number().nullable().describe('95th percentile of the latency.'),
  tied: z.boolean().describe('Whether the best arm is not shown to be better and is within the margin.'),
  runs: z
    .array(
      z.object({
        eval_id: id.describe('The run.'),
        rung: z.string().describe('The part of the tune in which it measured the arm.'),
      }),
    )
    .describe('The runs that measured it.'),
});
export type TuneArm = z.infer<typeof TuneArm>;

/** One entry for each arm of a model, by its number. */
const column = <Value extends z.ZodType>(value: Value, description: string) => z.array(value).describe(description);

export const TuneSpace = named(
  'TuneSpace',
  'Every arm of a tune in columns, with what a picture of them needs. Numbers have six digits.',
  {
    parameters: z
      .array(
        z.object({
          name: z.string().describe('The name of the parameter.'),
          values: z.array(z.unknown()).describe('Its values, each once.') as unknown as z.ZodType<Json[]>,
        }),
      )
      .describe('The parameters of all models.'),
    stages: z
      .array(
        z.object({
          state: TuneArm.shape.state,
          rung: TuneArm.shape.rung,
          tied: TuneArm.shape.tied,
          adjusted: z.boolean().describe('Whether the provider does not accept a setting, or in another form.'),
        }),
      )
      .describe('How far arms got, each combination once.'),
    models: z
      .array(
        z.object({
          target: TuneArm.shape.target,
          values: column(
            z.array(z.int().nullable()),
            'The place of its value among the values of each parameter; null, or missing at the end, without one.',
          ),
          same_as: column(TuneArm.shape.same_as, 'The arm whose requests are equal; null when there is none.'),
          stage: column(z.int(), 'The place of its stage in `stages`.'),
          cases: column(TuneArm.shape.cases, 'Cases with a score.'),
          samples: column(TuneArm.shape.samples, 'Scored samples of these cases.'),
          errored: column(TuneArm.shape.errored, 'Results without a score.'),
          mean: column(TuneArm.shape.mean, 'The mean of the measure; null before the first score.'),
          ci: column(TuneArm.shape.ci, 'Its 95 % interval.'),
          cost_usd: column(TuneArm.shape.cost_usd, 'US dollars so far; null without prices.'),
          latency_p50_ms: column(TuneArm.shape.latency_p50_ms, 'Median latency.'),
        }),
      )
      .describe('The arms of each model: the first entry of a column is of arm 0, the base.'),
  },
);
export type TuneSpace = z.infer<typeof TuneSpace>;

const ParamTuneTarget = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  arms: z.int().describe('Combinations in its space, including the base.'),
  distinct: z.int().describe('Combinations whose requests differ.'),
  recommended: TuneArm.nullable().describe('The recommendation; null until it is known.'),
  tied: z.array(z.int()).describe('Arms that are not distinguishable from the recommended one.'),
  holdout: Comparison.nullable().describe('It against the base, on the held-out cases.'),
  outcome: z
    .enum(TUNE_OUTCOMES)
    .nullable()
    .describe(
      '`confirmed`: better than the base on the held-out cases. `not_confirmed`: not shown to be. `worse`: shown ' +
        'to be worse. `base`: the base itself is recommended. `unconfirmed`: nothing was held out, or it stopped.',
    ),
  text: z.string().nullable().describe('The outcome in a sentence.'),
});

export const ParamTune = named('ParamTune', 'A search for settings and its results.', {
  ...tuneHead(ParamTuneInput),
  cases: described('How the cases were divided.', {
    tuning: z.int().describe('Cases that are used to choose arms.'),
    holdout: z.int().describe('Cases that confirm the choice.'),
  }),
  planned_requests: z.int().describe('Planned number of requests.'),
  targets: z.array(ParamTuneTarget).describe('Each model and its recommendation.'),
  best_over_models: z
    .array(
      z.object({
        arm: z.int().describe('Its number, equal for all models.'),
        config: jsonObject.describe('The values of its parameters.'),
        mean: z.number().describe('The mean of its means over all models, 0..1.'),
      }),
    )
    .describe(
      'The arms with the best means over all models, at most five, of those that each model was measured with on ' +
        'all tuning cases. Empty in a list, with one model, and where models have their own spaces.',
    ),
  promoted_eval_id: id.nullable().describe('The run of the winner in the experiment; null for none.'),
  ...TUNE_TAIL,
});
export type ParamTune = z.infer<typeof ParamTune>;

export const ParamTuneEstimate = Estimate.extend({
  combinations: z.int().describe('Number of arms of all models.'),
  distinct: z.record(z.string(), z.int()).describe('Number of arms per model whose requests differ.'),
  ...noteFields('Notes to consider before submitting.'),
}).meta({ id: 'ParamTuneEstimate', description: 'The expected usage of a tune.' });
export type ParamTuneEstimate = z.infer<typeof ParamTuneEstimate>;

export const CombosQuery = z.strictObject({
  ...PageQuery.shape,
  target: z
    .string()
    .max(500)
    .optional()
    .meta({ description: 'Only the arms of this model.', example: 'openai::gpt-x' }),
  arm: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_ARMS)
    .optional()
    .meta({ description: 'Only the arms of this number.', example: 3 }),
});
export type CombosQuery = z.infer<typeof CombosQuery>;

export const ParamTuneSubmitted = TuneSubmitted.meta({
  id: 'ParamTuneSubmitted',
  description: 'A tune that was accepted. It continues in the background.',
});
export type ParamTuneSubmitted = z.infer<typeof ParamTuneSubmitted>;

export const ParamPresetInput = namedInput('ParamPresetInput', 'A search space to keep.', {
  name: z.string().trim().min(1).max(200).describe('Its name, unique in the team.'),
  search_space: ParameterSpace.describe('The values to try for each parameter.'),
});
export type ParamPresetInput = z.infer<typeof ParamPresetInput>;

export const ParamPreset = ParamPresetInput.extend({
  id: id.describe('The id of the preset.'),
  created_at: time.describe('When it was created.'),
}).meta({ id: 'ParamPreset', description: 'A search space that the team keeps.' });
export type ParamPreset = z.infer<typeof ParamPreset>;
