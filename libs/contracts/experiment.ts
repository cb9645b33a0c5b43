import { z } from 'zod';
import { described, named, namedInput } from './named.js';
import { CalibrationHead } from '#lib/judge/contract';
import { TunedTarget } from '#lib/tuning/contract';
import { TunedPrompt } from '#lib/tuning/contract';
import { DEFAULT_MARGIN } from './values/comparison.js';
import { EXPERIMENT_FILTERS } from './values/runs.js';
import { BaselineComparison, ChosenMeasure, DeltaObstacle, Margin, Measure, ModelChange } from './comparison.js';
import { JobStatus } from './job-status.js';
import { METRIC_NAME } from './metric.js';
import { markFilters } from './kept.js';
import { noteFields } from './note.js';
import { id, PageQuery, searched, suiteId, time } from './page.js';
import { Budget, RunInput } from './run-input.js';
import { Submitted } from './run.js';

const name = z.string().trim().min(1).max(200).describe('The name of the experiment.');
const description = z.string().max(10_000).describe('What the experiment tries, and why.');

export const ExperimentStatus = z
  .enum(['active', 'archived'])
  .describe('An `archived` experiment takes no new runs and is left out of lists. It can become active again.');
export type ExperimentStatus = z.infer<typeof ExperimentStatus>;

export const ExperimentInput = z
  .strictObject({
    name,
    suite_id: suiteId.describe('The suite of all its runs.'),
    description: description.default(''),
    baseline_eval_id: id
      .nullable()
      .default(null)
      .describe(
        'The run of the suite to compare the others with; null: the first run of the experiment that completes.',
      ),
    margin: Margin.default(DEFAULT_MARGIN),
    measure: ChosenMeasure.regex(METRIC_NAME, 'must be "overall", "passed", or the name of a metric')
      .default('overall')
      .meta(Measure.meta()!),
  })
  .meta({
    id: 'ExperimentInput',
    description:
      'A new experiment. `margin` and `measure` cannot change: chosen after the results, they prove nothing.',
  });
export type ExperimentInput = z.infer<typeof ExperimentInput>;

export const ExperimentUpdate = z
  .strictObject({ name: name.optional(), description: description.optional(), status: ExperimentStatus.optional() })
  .refine((update) => Object.keys(update).length > 0, {
    message: 'must have at least one of name, description and status',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'ExperimentUpdate', description: 'What to change. Fields that are left out stay.' });
export type ExperimentUpdate = z.infer<typeof ExperimentUpdate>;

export const BaselineInput = namedInput('BaselineInput', 'The run to compare the others with.', {
  eval_id: id.describe('A completed run of the suite of the experiment, with at least one score.'),
});
export type BaselineInput = z.infer<typeof BaselineInput>;

/** A complete RunInput without `suite_id`, `experiment_id`, `judge`, and the name and note of the run. */
export const BestConfig = RunInput.omit({
  suite_id: true,
  experiment_id: true,
  name: true,
  note: true,
  judge: true,
}).meta({
  id: 'BestConfig',
  description: 'The settings of a run, complete: what `run-best` submits.',
});
export type BestConfig = z.infer<typeof BestConfig>;

const shown = BaselineComparison.pick({ verdict: true, difference: true, ci: true });

export const BestRun = named('BestRun', 'The best configuration that was found so far.', {
  score: z.number().describe('Its score, 0..1.'),
  eval_id: id.describe('The run.'),
  source: z
    .enum(['eval', 'param_tune', 'prompt_tune'])
    .describe('What made the run: a user (`eval`), or a tuner that promoted its winner.'),
  source_id: id.describe('The id of what made it: of the run itself, or of the tune.'),
  config: BestConfig.nullable().describe(
    'Its settings, complete: what `run-best` submits. Null for a recorded run, which asked no model.',
  ),
  targets: z.array(z.string()).describe('The models it was found on, as `provider_key::model_id`.'),
  comparison: shown.nullable().describe('The comparison with the baseline; null for the baseline itself.'),
  tied_with: z
    .array(id)
    .describe(
      'Runs that are not shown to be worse than it, nor than the baseline, each comparison at 95 %, and none of ' +
        'whose models is.',
    ),
});
export type BestRun = z.infer<typeof BestRun>;

export const ExperimentSince = named(
  'ExperimentSince',
  'Where an experiment stands, by its runs since the baseline with the same models: the newest 50.',
  {
    state: z
      .enum(['worse', 'better', 'as_good', 'unclear'])
      .describe(
        '`worse`: one of the last two runs is shown to be worse than the baseline, or one of its models is. `better` ' +
          'and `as_good`: the last run is shown to be so. `unclear`: nothing is shown.',
      ),
    run: described('The first run of those that are so now; for `unclear`, the last run.', {
      id: id.describe('Its id.'),
      name: z.string().nullable().describe('Its display name; null for none.'),
      finished_at: time.describe('When it ended.'),
    }),
    runs: z.int().describe('Runs that are so, from that one on. For `worse`, others may lie between them.'),
    of: z.int().describe('All runs from that one on.'),
    difference: z.number().nullable().describe('The difference of that run to the baseline, -1..1.'),
    regressed: z.int().describe('Models of that run that are shown to be worse.'),
    models: z.int().describe('Models of that run.'),
    worst: ModelChange.nullable().describe('Its worst model, with its score in the baseline and in that run.'),
    changed: z
      .array(z.string())
      .describe('The settings of that run that differ from the run before it; none where nothing changed.'),
    before: id.describe('The run before it, or the baseline.'),
    text: z.string().describe('All of that in a sentence.'),
  },
);
export type ExperimentSince = z.infer<typeof ExperimentSince>;

export const Experiment = named('Experiment', 'Runs of one suite that belong together, compared with a baseline.', {
  id: id.describe('The id of the experiment: `experiment_id` of its runs.'),
  name,
  suite_id: id.describe('The suite of all its runs.'),
  suite_name: z.string().nullable().describe('The name of the suite; null when the suite was deleted.'),
  description,
  status: ExperimentStatus,
  margin: Margin,
  measure: Measure,
  baseline_eval_id: id
    .nullable()
    .describe('The run that the others are compared with (see `delta` of a run); null for none.'),
  baseline_score: z.number().nullable().describe('Its score, 0..1; null without a baseline.'),
  baseline_set_by: z
    .enum(['user', 'first_run'])
    .nullable()
    .describe('Whether a user pinned it, or it was the first run that completed; null without one.'),
  run_count: z.int().describe('Runs of the experiment, whatever their status.'),
  comparisons: described('How often runs were compared with this baseline. Each comparison alone is at 95 %.', {
    made: z.int().describe('Runs that were compared with this baseline.'),
    expected_false_alarms: z
      .number()
      .describe('How many of them, on average, would be called better or worse if all were equal: 5 % at most.'),
    improved_after_correction: z
      .array(id)
      .describe(
        'Runs that are better even after the correction of Holm over all of these comparisons: a stricter reading, ' +
          'which no verdict follows.',
      ),
  }),
  best: BestRun.nullable().describe('The best run so far; null when none qualifies.'),
  since: ExperimentSince.nullable().describe(
    'Whether it is worse than its baseline, since when, and which model; null until a run is compared.',
  ),
  ...noteFields('What to know before trusting the figures, and what helps.'),
  refreshing: z
    .boolean()
    .describe('Whether comparisons are being made again, after a run ended or the baseline changed.'),
  created_at: time.describe('When the experiment was created.'),
  updated_at: time.describe('When it was last changed.'),
});
export type Experiment = z.infer<typeof Experiment>;

export const ExperimentsQuery = z.strictObject({
  ...PageQuery.shape,
  status: z
    .enum(EXPERIMENT_FILTERS)
    .default('active')
    .describe('Only experiments with this status; `all` for every one.'),
  suite_id: id.optional().meta({
    description: 'Only experiments over this suite.',
    example: '019aa8a2-5c1e-7000-8000-000000000011',
  }),
  name: searched.meta({
    description: 'Only experiments whose name contains this text, ignoring case.',
    example: 'prompt',
  }),
  ...markFilters,
});
export type ExperimentsQuery = z.infer<typeof ExperimentsQuery>;

export const TimelineEntry = z
  .object({
    type: z.enum(['eval', 'param_tune', 'prompt_tune', 'judge']).describe('The kind of entry.'),
    id: id.describe('Its id: of a run, its `eval_id`.'),
    name: z.string().nullable().describe('Of a run: its display name; null for none, and for anything else.'),
    timestamp: time.describe('When it ended. Entries come in this order, those of one instant by id.'),
    status: JobStatus,
    score: z.number().nullable().describe('Its score, 0..1; null when nothing is scored.'),
    score_ci: z
      .tuple([z.number(), z.number()])
      .nullable()
      .describe(
        'The 95 % interval of the score. Of several models, the means of the ends of their intervals, which is ' +
          'wide enough whatever they have in common. Null without a score.',
      ),
    scored: z.int().describe('Results with a score.'),
    errored: z.int().describe('Results that errored. They are in no score.'),
    suite_version: z
      .int()
      .nullable()
      .describe('Of a run: the version of the suite that it pinned. Null for anything else.'),
    delta: z
      .number()
      .nullable()
      .describe('Score minus that of the baseline, over the common cases; null where `differs` says why.'),
    is_baseline: z.boolean().describe('Whether it is the baseline.'),
    is_best: z.boolean().describe('Whether it is the best run.'),
    differs: z.array(DeltaObstacle).describe('Why there is no delta. Empty otherwise.'),
    comparison: BaselineComparison.omit({ baseline_eval_id: true, p: true })
      .nullable()
      .describe('The comparison with the baseline; null for the baseline, and until it is made.'),
    config_summary: z.string().describe('The settings that differ from the baseline; "as baseline" when none does.'),
    targets: z.array(z.string()).describe('Its models, as `provider_key::model_id`.'),
    combos: z.int().optional().describe('For parameter tunes: the combinations that it could try.'),
    promoted_eval_id: id
      .nullable()
      .optional()
      .describe('For tunes: the run of the winner, which has its own entry; null for none.'),
    holdout: z
      .array(TunedTarget)
      .optional()
      .describe('For parameter tunes: the result on the held-out cases, by model.'),
    judge: z
      .object({
        eval_id: id.describe('The run that was judged; of a comparison, `b`.'),
        judge: z.string().describe('The judge, as `provider_key::model_id`.'),
        share_ok: z.number().nullable().describe('Share of decided judgements that are correct or acceptable, 0..1.'),
        kappa: z.number().nullable().describe('Its agreement with pass and fail.'),
        calibration: CalibrationHead.describe('How far people confirm this judge.'),
      })
      .optional()
      .describe('For judge reports. They change no score.'),
    prompt: TunedPrompt.optional().describe('For prompt tunes: the result on the held-out cases.'),
  })
  .meta({ id: 'TimelineEntry', description: 'Finished work of an experiment: a run, a tune or a judge report.' });
export type TimelineEntry = z.infer<typeof TimelineEntry>;

// Has no defaults: omitted fields keep their value from the best configuration.
export const RunBestInput = z
  .strictObject({
    models: RunInput.shape.models.optional(),
    samples: RunInput.shape.samples.unwrap().optional().meta(RunInput.shape.samples.meta()!),
    budget: Budget.nullable().optional().describe('Limits for the cost and the number of requests; null for none.'),
  })
  .meta({
    id: 'RunBestInput',
    description: 'Replaces settings of the best configuration. Fields that are left out stay. The body may be empty.',
  });
export type RunBestInput = z.infer<typeof RunBestInput>;

export const RunBestSubmitted = Submitted.extend({
  config_used: BestConfig.describe('The settings that were submitted.'),
}).meta({ id: 'RunBestSubmitted', description: 'A run of the best configuration that was accepted.' });
export type RunBestSubmitted = z.infer<typeof RunBestSubmitted>;
