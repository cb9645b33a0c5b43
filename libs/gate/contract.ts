import { z } from 'zod';
import { described, named, namedInput } from '#lib/contracts/named';
import { waitField } from '#lib/contracts/comparing';
import { DEFAULT_MARGIN, DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/values/comparison';
import { Estimate } from '#lib/contracts/estimate';
import { Change, ChosenMeasure, Margin, Measure } from '#lib/contracts/comparison';
import { JobStatus } from '#lib/contracts/job-status';
import { MaxTokens } from '#lib/contracts/max-tokens';
import { METRIC_NAME } from '#lib/contracts/metric';
import { noteFields } from '#lib/contracts/note';
import { id, PageQuery, suiteId, time } from '#lib/contracts/page';
import { Budget, RunInput } from '#lib/contracts/run-input';
import { drifts } from '#lib/contracts/sample-drift';
import { GATE_RESULTS } from '#lib/contracts/values/gates';
import { Floor, MeasuredFloor } from '#lib/contracts/gate-floor';
import { gateRunEstimate, GateLast, GateSensitivity } from '#lib/contracts/gate-outlook';

// A gate answers one question about a run: do its results allow it to ship? All of its rules are fixed before the run.

const MAX_LOOKS = 4;
/** How many cases an answer lists. */
export const MAX_CRITICAL_CASES = 50;

export const GateBaseline = z
  .union([
    z.strictObject({ eval_id: id.describe('A completed run of the suite, with at least one score.') }),
    z.strictObject({
      experiment_id: id.describe('An experiment over the suite, whose baseline at the time of a gate run counts.'),
    }),
  ])
  .describe('The run to measure against.');
export type GateBaseline = z.infer<typeof GateBaseline>;

const looks = z
  .int()
  .min(1)
  .max(MAX_LOOKS)
  .describe(
    'How often a gate run may look at its data: after 1, 2, 4 and 8 times the first samples. Each look is held ' +
      'to a stricter level, so that all of them together err as rarely as one.',
  );

const rules = {
  baseline: GateBaseline,
  models: z
    .array(z.string().min(1).max(300))
    .min(1)
    .max(100)
    .nullable()
    .describe(
      'The models that must pass, as `provider_key::model_id`; null for those of the baseline. A run with one ' +
        'model is compared with a baseline of one model whatever their names if this is null.',
    ),
  measure: ChosenMeasure.regex(METRIC_NAME, 'must be "overall", "passed", or the name of a metric').meta(
    Measure.meta()!,
  ),
  margin: Margin,
  floor: Floor.nullable().describe('The minimum for the run, whatever the baseline; null for no floor.'),
  max_errored_share: z
    .number()
    .min(0)
    .max(1)
    .describe('The maximum share of errored results; above it nothing is measured.'),
  critical_tags: z
    .array(z.string().min(1).max(100))
    .max(50)
    .describe('Tags of critical cases: the gate fails if a case with one of them always passed and never does now.'),
  looks,
  max_requests: z
    .int()
    .positive()
    .max(2_000_000_000)
    .nullable()
    .describe('Maximum number of requests of a gate run, including added samples; null for no limit.'),
};
const name = z.string().trim().min(1).max(100).describe('The name of the gate, unique in the team.');

export const GateInput = namedInput('GateInput', 'A gate to create. Its rules are fixed before a run is measured.', {
  name,
  suite_id: suiteId.describe('The suite to run.'),
  baseline: rules.baseline,
  models: rules.models.default(null),
  measure: rules.measure.default('overall').meta(rules.measure.meta()!),
  margin: rules.margin.default(DEFAULT_MARGIN),
  floor: rules.floor.default(null),
  max_errored_share: rules.max_errored_share.default(DEFAULT_MAX_ERRORED_SHARE),
  critical_tags: rules.critical_tags.default([]),
  looks: rules.looks.default(MAX_LOOKS),
  max_requests: rules.max_requests.default(null),
});
export type GateInput = z.infer<typeof GateInput>;

export const GateUpdate = z
  .strictObject({
    name: name.optional(),
    baseline: rules.baseline.optional(),
    models: rules.models.optional(),
    measure: rules.measure.optional(),
    margin: rules.margin.optional(),
    floor: rules.floor.optional(),
    max_errored_share: rules.max_errored_share.optional(),
    critical_tags: rules.critical_tags.optional(),
    looks: rules.looks.optional(),
    max_requests: rules.max_requests.optional(),
  })
  .refine((update) => Object.keys(update).length > 0, {
    message: 'must have at least one field to change',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    id: 'GateUpdate',
    description: 'The changes. Omitted fields stay. A change of anything but the name creates the next version.',
  });
export type GateUpdate = z.infer<typeof GateUpdate>;

const version = z.int().describe('Increases with every change of its rules.');

export const Gate = named('Gate', 'Decides whether a change may ship: whether a run is not worse than a baseline.', {
  id: id.describe('The id of the gate.'),
  version,
  name,
  suite_id: suiteId.describe('The suite to run.'),
  suite_name: z.string().nullable().describe('The name of the suite; null when it was deleted.'),
  ...rules,
  baseline_eval_id: id.nullable().describe('The current baseline run; null for none.'),
  last: GateLast.nullable().describe('Its newest answer; null before the first.'),
  sensitivity: GateSensitivity.nullish().describe('What its cases can show. Left out in lists.'),
  created_at: time.describe('When the gate was created.'),
  updated_at: time.describe('When it was last changed.'),
});
export type Gate = z.infer<typeof Gate>;
/** The settings that decide, without the name. */
export type GateRules = Omit<z.infer<z.ZodObject<typeof rules>>, 'baseline'>;

export const GateResult = z
  .enum(GATE_RESULTS)
  .describe(
    '`pass`: shown not to be worse by the margin. `fail`: shown to be worse. `inconclusive`: the data decide ' +
      'neither. `not_measured`: there was no data to decide on. The exit codes of `toolmark gate` are 0, 1, 3 and 4.',
  );
export type GateResult = z.infer<typeof GateResult>;

const GATE_REASONS = [
  'no_baseline',
  'unfinished',
  'nothing_scored',
  'not_in_run',
  'too_few_cases',
  'errored',
  'drifted',
  'critical',
  'critical_unconfirmed',
  'floor',
  'floor_undecided',
  'not_worse',
  'regressed',
  'undecided',
] as const;
export const GateReason = z
  .enum(GATE_REASONS)
  .describe(
    'The rule that decided, the first that applies: `no_baseline` (or it is the run itself), `unfinished` (a run has ' +
      'not ended, or was stopped), `nothing_scored`, `not_in_run` (a run lacks the model), `too_few_cases` (fewer ' +
      'than 5 in common), `errored` and `drifted` (samples that were added differ from those that they join; see ' +
      '`drift`) are not measured; `critical` fails, and is `critical_unconfirmed` with fewer ' +
      'than 3 samples a side; `floor` fails, and is `floor_undecided` while the floor lies in the interval; ' +
      '`not_worse` passes; `regressed` fails; `undecided` otherwise.',
  );
export type GateReason = z.infer<typeof GateReason>;

const interval = z.tuple([z.number(), z.number()]);
const figure = z.number().nullable();

export const CriticalCase = z.object({
  case_id: id.describe('The case.'),
  case_name: z.string().nullable().describe('Its name; null when it has none.'),
  position: z.int().describe('Its position in the suite version of the run, from 0.'),
  samples: z.tuple([z.int(), z.int()]).describe('Scored samples on each side: baseline first.'),
  confirmed: z.boolean().describe('Whether both sides have at least 3 samples.'),
});
export type CriticalCase = z.infer<typeof CriticalCase>;

export const GateTarget = named('GateTarget', 'One model of a run, measured by a gate.', {
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  baseline_target: z.string().nullable().describe('The model that it is compared with; null when there is none.'),
  result: GateResult,
  reason: GateReason,
  text: z.string().describe('The result in a sentence.'),
  n_cases: z.int().describe('Common cases with a score on both sides.'),
  samples: z.tuple([z.number(), z.number()]).describe('Scored samples per case, on average: baseline first.'),
  mean_a: figure.describe('The mean of the measure over these cases in the baseline.'),
  mean_b: figure.describe('The mean in the run.'),
  difference: figure.describe('The mean difference of the cases, run minus baseline, -1..1.'),
  ci: interval.nullable().describe('Its interval, at the level of the look.'),
  p: figure.describe('The two-sided p value of the same computation.'),
  p_holm: figure.describe('`p` corrected by Holm over the models of the gate.'),
  pass_rate: figure.describe('The mean over the cases of the run of their share of passed samples.'),
  pass_rate_ci: interval.nullable().describe('Its interval, at the level of the look.'),
  floors: z
    .array(MeasuredFloor)
    .optional()
    .describe('The floors of metrics, in the order of the rules. Left out when the gate has none.')
    .meta({ example: [{ name: 'conversation.state', minimum: 0.9, mean: 0.93, ci: [0.91, 0.95] }] }),
  errored_shares: z
    .tuple([z.number(), z.number()])
    .describe('The share of errored results, 0..1: baseline first. For the run, over all its cases if that is larger.'),
  fixed: z.int().describe('Cases that never passed in the baseline and always do in the run.'),
  broken: z.int().describe('Cases that always passed in the baseline and never do in the run.'),
  cost: described('US dollars of each side; null without prices.', {
    a: figure.describe('Cost of the baseline.'),
    b: figure.describe('Cost of the run.'),
  }),
  critical: z
    .array(CriticalCase)
    .max(MAX_CRITICAL_CASES)
    .describe('Critical cases that always passed in the baseline and never do in the run; at most 50.'),
  drift: drifts,
  cases_needed: z
    .int()
    .nullable()
    .describe('About how many more cases would decide, when more samples cannot; null otherwise.'),
});
export type GateTarget = z.infer<typeof GateTarget>;

export const GateAnswer = named('GateAnswer', 'The answer of a gate about a run.', {
  gate: described('The gate and the rules that it applied.', {
    id: id.describe('The gate.'),
    name: z.string().describe('The name of the gate.'),
    version,
    measure: Measure,
    margin: Margin,
  }),
  eval_id: id.nullable().describe('The run that was measured; null when there is none.'),
  baseline_eval_id: id.nullable().describe('The baseline; null when the gate has none.'),
  result: GateResult,
  text: z.string().describe('The result in a sentence.'),
  look: described('Number of looks at the data. A repeated request about the same data does not count.', {
    number: z.int().describe('Which look at the data this is, from 1; 0 when nothing was measured.'),
    planned: z.int().describe('Number of looks that the gate allows.'),
    alpha: z.number().describe('The level of each look, two-sided: intervals are 1 - alpha.'),
    final: z.boolean().describe('Whether all looks are used up, so that the answer is final.'),
  }),
  targets: z.array(GateTarget).describe('Each model. All must pass: the gate fails if one model fails.'),
  cases: z
    .object({
      common: z.int().describe('Cases that ask and expect the same on both sides.'),
      changed: z.int().describe('Cases that changed. They are not compared.'),
      only_a: z.int().describe('Cases that only the baseline has.'),
      only_b: z.int().describe('Cases that only the run has.'),
      dropped_errored: z.int().describe('Common cases that lack a score on one of the sides.'),
    })
    .nullable()
    .describe('The number of cases in both runs; null when nothing was compared.'),
  what_changed: z.array(Change).describe('The settings that differ from the baseline.'),
  ...noteFields('Notes on how far to trust the figures, and what helps.'),
});
export type GateAnswer = z.infer<typeof GateAnswer>;

export const GateCheckQuery = z.strictObject({
  ...waitField,
  eval_id: id.meta({ description: 'The run to measure.', example: '019aa8a2-5c1e-7000-8000-000000000031' }),
});
export type GateCheckQuery = z.infer<typeof GateCheckQuery>;

const settings = RunInput.shape;
/** Without a run's defaults: omitted settings are taken from the baseline. */
export const GateRunConfig = z
  .strictObject({
    models: settings.models.optional(),
    temperature: settings.temperature.unwrap().optional().meta(settings.temperature.meta()!),
    tool_choice: settings.tool_choice.unwrap().optional().meta(settings.tool_choice.meta()!),
    samples: settings.samples.unwrap().optional().meta(settings.samples.meta()!),
    max_tokens: MaxTokens.optional().meta(MaxTokens.meta()!),
    timeout_s: settings.timeout_s.unwrap().optional().meta(settings.timeout_s.meta()!),
    params: settings.params.unwrap().optional().meta(settings.params.meta()!),
    system_prompt: settings.system_prompt.unwrap().optional().meta(settings.system_prompt.meta()!),
    base_prompt: settings.base_prompt.unwrap().optional().meta(settings.base_prompt.meta()!),
    tool_overrides: settings.tool_overrides.unwrap().optional().meta(settings.tool_overrides.meta()!),
    prompt_version_id: settings.prompt_version_id.unwrap().optional().meta(settings.prompt_version_id.meta()!),
    metrics: settings.metrics.unwrap().optional().meta(settings.metrics.meta()!),
    case_filter: settings.case_filter.unwrap().optional().meta(settings.case_filter.meta()!),
    model_order: settings.model_order.unwrap().optional().meta(settings.model_order.meta()!),
    budget: Budget.nullable()
      .optional()
      .describe('Limits for all requests of the gate run, in addition to `max_requests` of the gate.'),
    cache: settings.cache,
    prompt_cache: settings.prompt_cache.unwrap().optional().meta(settings.prompt_cache.meta()!),
  })
  .meta({
    id: 'GateRunConfig',
    description: 'Settings of the run to measure. Omitted settings are those of the baseline.',
  });
export type GateRunConfig = z.infer<typeof GateRunConfig>;

export const GateRunInput = z
  .strictObject({
    config: GateRunConfig.optional().describe('The settings of the run to create and measure.'),
    eval_id: id.optional().describe('An existing run to measure. It gets further samples as long as these may decide.'),
  })
  .refine(({ config, eval_id }) => config === undefined || eval_id === undefined, {
    path: ['eval_id'],
    message: 'cannot be combined with config: give one of them',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'GateRunInput', description: 'The run that a gate run measures: a new or an existing one.' });
export type GateRunInput = z.infer<typeof GateRunInput>;

export const GateRunEstimate = gateRunEstimate(Estimate);
export type GateRunEstimate = z.infer<typeof GateRunEstimate>;

export const GateSensitivityInput = namedInput('GateSensitivityInput', 'The rules of a gate that is not made yet.', {
  suite_id: suiteId.describe('The suite to run.'),
  baseline: GateBaseline.nullable().default(null).describe('The run to measure against; null for any of the suite.'),
  margin: rules.margin.default(DEFAULT_MARGIN),
  looks: looks.default(MAX_LOOKS),
});
export type GateSensitivityInput = z.infer<typeof GateSensitivityInput>;

export const GateSubmitted = named('GateSubmitted', 'A gate run that was accepted. It continues in the background.', {
  job_id: id.describe('The job of the gate run, with the progress of all its requests.'),
  gate_run_id: id.describe('The id of the gate run.'),
  status: z.literal('submitted').describe('Always `submitted`. The job has the current status.'),
});
export type GateSubmitted = z.infer<typeof GateSubmitted>;

export const GateRun = z
  .object({
    id: id.describe('The id of the gate run.'),
    gate_id: id.describe('The gate.'),
    gate_version: version.describe('The version of the gate whose rules it applies.'),
    job_id: id.describe('Its job. After a resume, the new one.'),
    status: JobStatus,
    eval_id: id.nullable().describe('The run that is measured; null until it is created.'),
    baseline_eval_id: id.nullable().describe('The baseline; null when the gate has none.'),
    runs: z
      .array(
        z.object({
          eval_id: id.describe('The run.'),
          step: z.string().meta({ description: 'The step of the gate run that created it.', example: 'look-2' }),
          arm: z.string().meta({ description: 'The side that it is part of.', example: 'baseline' }),
        }),
      )
      .describe('The runs that it created, in order: the run to measure, and runs with added samples.'),
    looks: z
      .array(
        z.object({
          look: z.int().describe('Number of the look, from 1.'),
          samples: z.tuple([z.number(), z.number()]).describe('Samples per case: baseline first.'),
          result: GateResult,
          text: z.string().describe('The result in a sentence.'),
          targets: z
            .array(
              z.object({
                target: z.string().describe('The model, as `provider_key::model_id`.'),
                result: GateResult,
                difference: figure.describe('The mean difference of the cases, run minus baseline, -1..1.'),
                ci: interval.nullable().describe('Its interval, at the level of the look.'),
              }),
            )
            .optional()
            .describe('Each model at this look. Left out in lists, and by looks of earlier releases.'),
        }),
      )
      .describe('The result of each look.'),
    result: GateAnswer.nullable().describe('The answer; null until there is one.'),
    created_at: time.describe('When it was submitted.'),
    finished_at: time.nullable().describe('When it ended; null until then.'),
  })
  .meta({
    id: 'GateRun',
    description: 'One execution of a gate: it creates a run, looks at it, and adds samples as needed.',
  });
export type GateRun = z.infer<typeof GateRun>;

export const GatesQuery = z.strictObject({
  ...PageQuery.shape,
  name: z.string().max(100).optional().meta({ description: 'Only the gate of this name.', example: 'main' }),
});
export type GatesQuery = z.infer<typeof GatesQuery>;

export const SamplesInput = z
  .strictObject({
    samples: z.int().min(1).max(100).describe('Number of further samples of each case.'),
    budget: Budget.nullable().default(null).describe('Limits for only these samples; null for none.'),
  })
  .meta({
    id: 'SamplesInput',
    description:
      'Adds samples to a run, with its own settings and suite version, as a run that extends it. The run itself ' +
      'does not change.',
  });
export type SamplesInput = z.infer<typeof SamplesInput>;
