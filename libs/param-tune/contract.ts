import { z } from 'zod';
import { DEFAULT_MARGIN } from '#lib/contracts/values/comparison';
import { TUNE_MODES, TUNE_MEASURES } from '#lib/contracts/values/tunes';
import { CACHE_MODES } from '#lib/contracts/values/runs';
import { Estimate as Comparison, Margin } from '#lib/contracts/comparison';
import { Estimate } from '#lib/contracts/estimate';
import { JobStatus } from '#lib/contracts/job-status';
import type { Json } from '#lib/contracts/json/json';
import { id, PageQuery, time } from '#lib/contracts/page';
import { RunInput } from '#lib/contracts/run-input';
import { jsonObject } from '#lib/contracts/tool';
import { ARM_STATES, TUNE_OUTCOMES } from '#lib/tuning/contract';

const settings = RunInput.shape;
/** Beyond this number of arms, a tune is no longer a search. */
export const MAX_ARMS = 10_000;
export const MAX_PARAMETERS = 20;
/** The maximum for all spaces of a tune as JSON, because histories repeat them. */
export const MAX_SPACE_CHARACTERS = 50_000;

const range = {
  min: { type: 'number', description: 'The first value.' },
  max: { type: 'number', description: 'The last value, if a step meets it.' },
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
        levels: { type: 'integer', description: 'How many values, with those at both ends.' },
        scale: { enum: ['linear', 'log'], description: 'How they are spread; `linear` by default.' },
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
    `The values to try of each parameter, at most ${MAX_PARAMETERS}: \`temperature\`, \`top_p\`, \`tool_choice\`, ` +
    '`max_tokens`, or any parameter of the provider. Every combination of values is an arm.',
  example: { temperature: { min: 0, max: 1, step: 0.25 }, top_p: [0.5, 1], tool_choice: ['auto', 'required'] },
});

export const ParamTuneInput = z
  .strictObject({
    suite_id: settings.suite_id,
    models: z.array(z.string().min(1).max(300)).min(1).max(20).meta({
      description: 'The models to tune, each on its own: `provider_key::model_id`, or an id that one provider has.',
    }),
    search_space: ParameterSpace.default({}).meta({ description: 'The space of every model without one of its own.' }),
    per_model_search_spaces: z.record(z.string(), ParameterSpace).default({}).meta({
      description: 'Spaces of single models, by their names in `models`, instead of `search_space`.',
    }),
    mode: z
      .preprocess((mode) => (mode === 'bayesian' ? 'adaptive' : mode), z.enum(TUNE_MODES))
      .default('adaptive')
      .meta({
        description:
          '`grid` tries every arm on every case, `random` as many as `trials`. `adaptive` (or `bayesian`) tries some ' +
          'on a few cases, learns which values do well, and gives more cases to the arms that promise most.',
      }),
    trials: z
      .int()
      .min(2)
      .max(MAX_ARMS)
      .default(50)
      .meta({ description: 'How many arms `random` tries of each model.' }),
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
    measure: z.enum(TUNE_MEASURES).default('overall').meta({ description: 'What is made as high as can be.' }),
    margin: Margin.default(DEFAULT_MARGIN),
    samples: z
      .int()
      .min(1)
      .max(20)
      .default(1)
      .meta({ description: 'How often an arm runs a case while it is sought.' }),
    holdout: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.3)
      .meta({
        description:
          'The share of the cases that nothing is chosen by. At the end they show whether the recommended arm is ' +
          'better. At least 10 cases are held out and 8 left; 0 holds out none, and nothing is confirmed.',
      }),
    seed: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(1)
      .meta({ description: 'Decides everything that is drawn.' }),
    timeout_s: settings.timeout_s,
    budget: settings.budget,
    cache: z.enum(CACHE_MODES).default('use').meta({ description: 'As `cache` of a run.' }),
    prompt_cache: settings.prompt_cache,
    experiment_id: settings.experiment_id,
    max_combinations: z.int().min(1).max(MAX_ARMS).default(500).meta({
      description: 'The most arms of one model that `grid` tries.',
    }),
  })
  .meta({ id: 'ParamTuneInput', description: 'A search for the settings that let models call tools best.' });
export type ParamTuneInput = z.infer<typeof ParamTuneInput>;

export const TuneArm = z
  .object({
    arm: z.int().meta({ description: 'Its number among the arms of its model, from 0: the base.' }),
    target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
    config: jsonObject.meta({ description: 'The values of the parameters.' }),
    resolved: jsonObject
      .nullable()
      .meta({ description: 'The settings that the provider is sent, without messages and tools.' }),
    adjustments: z.array(z.string()).meta({ description: 'What the provider does not take, or takes otherwise.' }),
    same_as: z.int().nullable().meta({
      description: 'The arm whose requests are the same after the limits of the provider; null when there is none.',
    }),
    state: z.enum(ARM_STATES).meta({ description: 'How far it came.' }),
    rung: z.string().nullable().meta({ description: 'The last rung that it was measured on; null before the first.' }),
    cases: z.int().meta({ description: 'Cases with a score.' }),
    samples: z.int().meta({ description: 'Scored samples of them.' }),
    mean: z.number().nullable().meta({ description: 'The mean of the measure over these cases, 0..1.' }),
    ci: z.tuple([z.number(), z.number()]).nullable().meta({ description: 'Its 95 % interval.' }),
    pass_rate: z.number().nullable().meta({ description: 'The share of the scored samples that passed.' }),
    errored: z.int().meta({ description: 'Results without a score. They are not in the mean.' }),
    cost_usd: z.number().nullable().meta({ description: 'US dollars so far; null without prices.' }),
    cost_per_case_usd: z.number().nullable().meta({ description: 'US dollars of one case, on average.' }),
    tokens: z.int().meta({ description: 'Tokens of requests and replies.' }),
    latency_p50_ms: z.number().nullable().meta({ description: 'Half of the replies were faster.' }),
    latency_p95_ms: z.number().nullable().meta({ description: '95 % of the replies were faster.' }),
    tied: z.boolean().meta({ description: 'Whether the best arm is not shown to be better, and within the margin.' }),
    runs: z
      .array(
        z.object({
          eval_id: id.meta({ description: 'The run.' }),
          rung: z.string().meta({ description: 'The part of the tune that it measured the arm in.' }),
        }),
      )
      .meta({ description: 'The runs that measured it.' }),
  })
  .meta({ id: 'TuneArm', description: 'One combination of values, tried with one model.' });
export type TuneArm = z.infer<typeof TuneArm>;

export const ParamTuneTarget = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  arms: z.int().meta({ description: 'Combinations in its space, with the base.' }),
  distinct: z.int().meta({ description: 'Those whose requests differ.' }),
  recommended: TuneArm.nullable().meta({ description: 'What to take; null until it is known.' }),
  tied: z.array(z.int()).meta({ description: 'Arms that are as good, as far as these cases tell.' }),
  holdout: Comparison.nullable().meta({ description: 'It against the base, on cases that nothing was chosen by.' }),
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
    id: id.meta({ description: 'The id of the tune.' }),
    job_id: id.meta({ description: 'Its job. After a resume, the new one.' }),
    status: JobStatus,
    suite_id: id.nullable().meta({ description: 'Its suite; null when that was deleted.' }),
    suite_name: z.string().meta({ description: 'The name that the suite had.' }),
    suite_version: z.int().meta({ description: 'The version of the suite that all its runs are of.' }),
    experiment_id: id
      .nullable()
      .meta({ description: 'The experiment that the winner is promoted into; null for none.' }),
    input: ParamTuneInput.meta({ description: 'What was asked for, with defaults filled in.' }),
    step: z.string().meta({ description: 'What it does now: `search`, `holdout`, `promote`, or `done`.' }),
    cases: z
      .object({
        tuning: z.int().meta({ description: 'Cases that arms are chosen by.' }),
        holdout: z.int().meta({ description: 'Cases that confirm what was chosen.' }),
      })
      .meta({ description: 'How the cases were divided.' }),
    planned_requests: z.int().meta({ description: 'What it would take if it went as planned.' }),
    targets: z.array(ParamTuneTarget).meta({ description: 'Each model, and what to take.' }),
    best_over_models: z
      .array(
        z.object({
          arm: z.int().meta({ description: 'Its number, which is the same for all models.' }),
          config: jsonObject.meta({ description: 'The values of its parameters.' }),
          mean: z.number().meta({ description: 'The mean of its means, 0..1.' }),
        }),
      )
      .meta({
        description:
          'The arms with the best means over all models, at most five, of those that each model was measured with on ' +
          'all tuning cases. Empty in a list, with one model, and where models have spaces of their own.',
      }),
    promoted_eval_id: id.nullable().meta({ description: 'The run of the winner in the experiment; null for none.' }),
    notes: z.array(z.string()).meta({ description: 'What to know before trusting the figures.' }),
    created_at: time.meta({ description: 'When it was submitted.' }),
    finished_at: time.nullable().meta({ description: 'When it ended; null until then.' }),
  })
  .meta({ id: 'ParamTune', description: 'A search for settings, and what it found.' });
export type ParamTune = z.infer<typeof ParamTune>;

export const ParamTuneEstimate = Estimate.extend({
  combinations: z.int().meta({ description: 'Arms of all models.' }),
  distinct: z.record(z.string(), z.int()).meta({ description: 'Arms of each model whose requests differ.' }),
  notes: z.array(z.string()).meta({ description: 'What to know before it is submitted.' }),
}).meta({ id: 'ParamTuneEstimate', description: 'What a tune is expected to take.' });
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

export const ParamTuneSubmitted = z
  .object({
    job_id: id.meta({ description: 'The job of the tune.' }),
    tune_id: id.meta({ description: 'The id of the tune.' }),
    status: z.literal('submitted').meta({ description: 'Always `submitted`. The job has the current status.' }),
  })
  .meta({ id: 'ParamTuneSubmitted', description: 'A tune that was accepted. It goes on in the background.' });
export type ParamTuneSubmitted = z.infer<typeof ParamTuneSubmitted>;

export const ParamPresetInput = z
  .strictObject({
    name: z.string().trim().min(1).max(200).meta({ description: 'Its name, unique in the team.' }),
    search_space: ParameterSpace.meta({ description: 'The values to try of each parameter.' }),
  })
  .meta({ id: 'ParamPresetInput', description: 'A search space to keep.' });
export type ParamPresetInput = z.infer<typeof ParamPresetInput>;

export const ParamPreset = ParamPresetInput.extend({
  id: id.meta({ description: 'The id of the preset.' }),
  created_at: time.meta({ description: 'When it was made.' }),
}).meta({ id: 'ParamPreset', description: 'A search space that the team keeps.' });
export type ParamPreset = z.infer<typeof ParamPreset>;
