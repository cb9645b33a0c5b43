import { CallDifference } from './call-difference.js';
import { z } from 'zod';
import { described, named } from './named.js';
import { waitField } from './comparing.js';
import { JobStatus } from './job-status.js';
import { noteFields } from './note.js';
import { flag, id, time, PageQuery } from './page.js';
import { drifts } from './sample-drift.js';
import { Expectation, ParsedCall } from './verdict.js';
import { DEFAULT_MARGIN, DEFAULT_MAX_ERRORED_SHARE, MAX_COMPARED_RUNS, CASE_OUTCOMES } from './values/comparison.js';
import { isBetterHigher, LOWER_IS_BETTER } from './values/conversations.js';

/** A score without its uncertainty decides nothing: quote `verdict` as the outcome of a comparison. */
const COMPARISON_VERDICTS = ['improved', 'regressed', 'same', 'inconclusive', 'not_comparable'] as const;
export const ComparisonVerdict = z
  .enum(COMPARISON_VERDICTS)
  .describe(
    '`improved` and `regressed`: the 95 % interval of the difference lies on one side of 0, and of several targets, ' +
      '`p_holm` is below 0.05 too. `same`: the 90 % interval lies within the margin. `inconclusive`: these cases ' +
      'do not decide it. `not_comparable`: too few common cases, or nothing to compare; `reasons` says which.',
  );
export type ComparisonVerdict = z.infer<typeof ComparisonVerdict>;

const VERDICT_REASONS = ['too_few_cases', 'nothing_scored', 'no_common_targets', 'running', 'errored'] as const;
export const VerdictReason = z
  .enum(VERDICT_REASONS)
  .describe(
    'Why there is no verdict: fewer than 5 common cases with a score on both sides, nothing scored on one side, no ' +
      'common target, a run that has not ended, or too large a share of errored results.',
  );
export type VerdictReason = z.infer<typeof VerdictReason>;

export const Margin = z
  .number()
  .min(0)
  .max(1)
  .describe('The smallest difference that matters, as a share: 0.02 is two points. 0 asks for any difference.');
export const Measure = z
  .string()
  .min(1)
  .max(200)
  .meta({
    description:
      'What is compared: `overall`, `passed` (0 or 1), the name of a further metric of both runs, or a figure of ' +
      'conversations: `conversation.state` and the like, but not `conversation.fabricated`.',
    example: 'overall',
  });

export const ChosenMeasure = Measure.refine(isBetterHigher, { message: LOWER_IS_BETTER }).meta(Measure.meta()!);

const interval = z.tuple([z.number(), z.number()]);
const figure = z.number().nullable();

export const Estimate = z
  .object({
    measure: Measure,
    n_cases: z.int().describe('Common cases with a score on both sides, or groups of them.'),
    samples: z
      .tuple([z.number(), z.number()])
      .describe('Scored samples per case on each side, on average: baseline first.'),
    mean_a: figure.describe('The mean over these cases in the baseline; every case weighs the same.'),
    mean_b: figure.describe('The mean over these cases in the other run.'),
    difference: figure.describe('The mean difference of the cases, other run minus baseline, -1..1.'),
    ci: interval
      .nullable()
      .describe(
        'The 95 % interval of the difference: the t interval over cases after adding two pseudo-cases, one up and ' +
          'one down. It need not be symmetric about `difference`.',
      ),
    ci90: interval.nullable().describe('The 90 % interval, which decides `same`.'),
    se: figure.describe('The standard error of the difference, pseudo-cases included.'),
    df: z.int().nullable().describe('Its degrees of freedom.'),
    p: figure.describe('The two-sided p value of the same computation; it agrees with `ci`.'),
    small: z.boolean().describe('Whether the difference is significant, but shown to be below the margin.'),
    robust: z
      .boolean()
      .describe('Whether the difference stays on its side of 0 (`same`: within the margin) at both `bounds`.'),
    bounds: interval
      .nullable()
      .describe(
        "The difference if the other run's errored samples had all failed and the baseline's all passed, and the " +
          'reverse.',
      ),
    smallest_detectable: figure.describe(
      'The true difference that a comparison of such data shows with a chance of 80 %.',
    ),
    cases_for_margin: z
      .int()
      .nullable()
      .describe('About how many cases show a difference of the margin with a chance of 80 %; null for 0.'),
    variance: z
      .object({
        between: z.number().describe('Variance of the differences between cases.'),
        within: z.number().describe('Variance within cases, which more samples make smaller.'),
      })
      .nullable()
      .describe('Null unless both sides have at least two samples of every case.'),
    classic: z
      .object({
        se: z.number().describe('The standard error, robust to clusters (CR1).'),
        ci: interval.describe('The t interval; degrees of freedom: cases minus 1.'),
      })
      .nullable()
      .describe('What other tools print. It is too narrow where few cases differ, and the verdict does not use it.'),
    verdict: ComparisonVerdict.nullable().describe(
      `${ComparisonVerdict.description} Null where no verdict is made: for categories and tools.`,
    ),
    reasons: z.array(VerdictReason).describe('Why there is no verdict. Empty otherwise.'),
    text: z
      .string()
      .nullable()
      .describe('The verdict in a sentence, in points (hundredths). Null where no verdict is made.'),
  })
  .meta({
    id: 'DifferenceEstimate',
    description: 'A difference between two runs with its uncertainty. Shares are 0..1.',
  });
export type Estimate = z.infer<typeof Estimate>;

export const CaseOutcome = z
  .enum(CASE_OUTCOMES)
  .describe(
    'What happened to a case, by the share of its samples that passed: `fixed` (none, then all), `broken` (all, then ' +
      'none), `better` and `worse` (in between), `same_right`, `same_wrong`, `same_mixed`.',
  );
export type CaseOutcome = z.infer<typeof CaseOutcome>;

const cases = (what: string) => z.int().describe(`Cases that ${what}`);
const Outcomes = z
  .object({
    fixed: cases('never passed, and now always do.'),
    broken: cases('always passed, and now never do.'),
    better: cases('pass more often, short of `fixed`.'),
    worse: cases('pass less often, short of `broken`.'),
    same_right: cases('always pass, as before.'),
    same_wrong: cases('never pass, as before.'),
    same_mixed: cases('pass as often as before, sometimes.'),
  } satisfies Record<CaseOutcome, z.ZodInt>)
  .describe('How many cases have each outcome, summed over the pairs of targets.');
export type Outcomes = z.infer<typeof Outcomes>;

const targetName = z.string().describe('The model, as `provider_key::model_id`.');

export const ComparedTarget = z.object({
  a: targetName.describe('The target of the baseline.'),
  b: targetName.describe('The target of the other run.'),
  estimate: Estimate.describe('The difference between the two targets, with the verdict.'),
  p_holm: figure.describe('`p` after the correction of Holm over the targets of this comparison.'),
  mcnemar: z
    .object({
      fixed: z.int().describe('Cases that failed and now pass.'),
      broken: z.int().describe('Cases that passed and now fail.'),
      p_exact: z.number().describe('The exact p value.'),
      p_mid: z.number().describe('The mid-p value.'),
    })
    .nullable()
    .describe("McNemar's test; null unless `measure` is `passed` with one sample per case on both sides."),
  newcombe: interval
    .nullable()
    .describe("Newcombe's 95 % interval for paired proportions (method 10); null where `mcnemar` is."),
  outcomes: Outcomes,
});
export type ComparedTarget = z.infer<typeof ComparedTarget>;

export const ComparedRun = z.object({
  id: id.describe('The id of the run.'),
  rescore_id: id.nullable().describe("The rescore whose verdicts are compared; null for the run's own."),
  suite: described('The suite of the run.', {
    id: id.describe('The id of the suite.'),
    name: z.string().describe('Its name when the run was submitted.'),
    version: z.int().describe('The version that the run pinned.'),
  }),
  status: JobStatus,
  targets: z.array(targetName).describe('The models of the run.'),
  unmatched: z.array(targetName).describe('Models of the run that have no counterpart in the other.'),
  samples: z.int().describe('Samples of each case, with `extended` those that were added to all cases too.'),
  errored_share: z.number().describe('The share of errored results among the compared cases, 0..1.'),
  created_at: time.describe('When the run was submitted.'),
});
export type ComparedRun = z.infer<typeof ComparedRun>;

export const Change = z.object({
  path: z.string().describe('The setting, as a JSON pointer into the run or its suite.'),
  a: z.unknown().describe('Its value in the baseline; null when it is not set.'),
  b: z.unknown().describe('Its value in the other run; null when it is not set.'),
});
export type Change = z.infer<typeof Change>;

const sideFigures = z.object({
  a: figure.describe('Of the baseline; null when unknown.'),
  b: figure.describe('Of the other run; null when unknown.'),
});

const groupEstimate = Estimate.describe('The difference over these cases, without a verdict.');

export const Comparison = z
  .object({
    a: ComparedRun.describe('The baseline.'),
    b: ComparedRun.describe('The run that is compared with it.'),
    what_changed: z
      .array(Change)
      .describe('Settings, models, tools and prompts that differ: what the comparison measures.'),
    ...noteFields('What to know before trusting the figures, and what helps.'),
    drift: drifts,
    cases: described('The cases of both runs.', {
      common: z.int().describe('Cases that ask and expect the same in both runs.'),
      changed: z.int().describe('Cases of both runs whose content changed. They are not compared.'),
      only_a: z.int().describe('Cases of the baseline alone.'),
      only_b: z.int().describe('Cases of the other run alone.'),
      dropped_errored: z
        .int()
        .describe('Common cases that no pair of targets has scored on both sides, because of errors.'),
    }),
    all: Estimate.describe('Over all pairs of targets: the mean over them is the difference of a case.'),
    targets: z.array(ComparedTarget).describe('Each pair of targets.'),
    categories: z
      .array(z.object({ category: z.string().describe('The category.'), estimate: groupEstimate }))
      .describe('Each category, or the 500 with the most cases: a hint where to look, not a finding.'),
    tools: z
      .array(
        z.object({
          tool: z.string().describe('The expected tool; "(none)" for no call, "(any)" where a goal does not say.'),
          estimate: groupEstimate,
        }),
      )
      .describe('Each expected tool, or the 500 with the most cases: a hint where to look, not a finding.'),
    outcomes: Outcomes,
    confusion: z
      .array(
        z.object({
          expected: z.string().describe('The expected tool; "(none)" for no call, "(any)" where a goal does not say.'),
          called: z.string().describe('The tool that was called, "(none)" or "(unknown)".'),
          a: z.int().describe('Scored samples in the baseline.'),
          b: z.int().describe('Scored samples in the other run.'),
        }),
      )
      .describe('The called tools by expected tool: the 200 most frequent pairs.'),
    cost: sideFigures.describe('What the compared results cost, in US dollars.'),
    latency_p50_ms: sideFigures.describe('The median latency of the compared results, in milliseconds.'),
  })
  .meta({ id: 'Comparison', description: 'Two runs, case by case: what changed, by how much, and how sure that is.' });
export type Comparison = z.infer<typeof Comparison>;

export const Comparisons = named('Comparisons', 'Several runs compared with one baseline.', {
  comparisons: z.array(Comparison).describe('Each run after the first, compared with the first.'),
});
export type Comparisons = z.infer<typeof Comparisons>;

const listed = (separator: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => (separator ? text.split(separator) : [text])));

const sides = {
  a: id.optional().meta({ description: 'The baseline, with `b`.', example: '019aa8a2-5c1e-7000-8000-000000000011' }),
  b: id.optional().meta({
    description: 'The run to compare with `a`. The same run with `pairs` compares two of its targets.',
    example: '019aa8a2-5c1e-7000-8000-000000000012',
  }),
  rescore_a: id.optional().meta({
    description: 'Compares the verdicts of this rescore of `a`.',
    example: '019aa8a2-5c1e-7000-8000-000000000081',
  }),
  rescore_b: id.optional().meta({
    description: 'Compares the verdicts of this rescore of `b`.',
    example: '019aa8a2-5c1e-7000-8000-000000000081',
  }),
  measure: ChosenMeasure.default('overall'),
  margin: z.coerce.number().min(0).max(1).default(DEFAULT_MARGIN).describe(Margin.description!),
  pairs: listed('')
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string' },
      description:
        'Which targets to compare, as `<target of a>~<target of b>`; repeat it for several. By default, equal ' +
        'targets are paired, and so is the only target of each run whatever its name.',
      example: ['openai::gpt-x~openai::gpt-y'],
    }),
  max_errored_share: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_MAX_ERRORED_SHARE)
    .describe('The share of errored results above which there is no verdict.'),
  partial: flag.describe('Compares unfinished runs by their settled results, without a verdict.'),
  extended: flag.describe('Includes the samples that were added to each run, once those runs are completed.'),
};

const RUN_COUNT = `must name 2 to ${MAX_COMPARED_RUNS} runs, separated by commas`;

export const CompareQuery = z.strictObject({
  ...sides,
  ...waitField,
  runs: listed(',').pipe(z.array(id).min(2, RUN_COUNT).max(MAX_COMPARED_RUNS, RUN_COUNT)).optional().meta({
    type: 'string',
    description: 'Two to six runs, separated by commas, instead of `a` and `b`. The first is the baseline.',
    example: '019aa8a2-5c1e-7000-8000-000000000011,019aa8a2-5c1e-7000-8000-000000000012',
  }),
  cluster_by: z
    .string()
    .regex(/^tag:.{1,100}$/, 'must be "tag:<prefix>"')
    .optional()
    .meta({
      description:
        'Makes groups of cases the unit: cases that share the tag that begins with this prefix, such as ' +
        'paraphrases of one request.',
      example: 'tag:intent:',
    }),
});
export type CompareQuery = z.infer<typeof CompareQuery>;

export const CompareItemsQuery = z.strictObject({
  ...sides,
  ...waitField,
  ...PageQuery.shape,
  target: z.string().max(300).optional().meta({
    description: 'Only this target of either run.',
    example: 'openai::gpt-x',
  }),
  outcome: CaseOutcome.optional(),
  category: z.string().max(200).optional().meta({ description: 'Only cases of this category.', example: 'current' }),
});
export type CompareItemsQuery = z.infer<typeof CompareItemsQuery>;

const ComparedSide = z.object({
  eval_id: id.describe(
    'The run that has the result: the compared one, or with `extended` one that added samples to it.',
  ),
  result_id: z
    .string()
    .describe('The result that is shown: the first scored sample that did not pass, or the first one.'),
  score: figure.describe('The mean of `measure` over the scored samples; null when none is.'),
  passed_samples: z.int().describe('Samples that passed.'),
  scored_samples: z.int().describe('Samples with a score.'),
  errored_samples: z.int().describe('Samples that errored.'),
  called: z.array(ParsedCall).describe('The calls of that result.'),
  difference: CallDifference.nullable().describe('Where that result first differs from what is expected.'),
  explanation: z.array(z.string()).describe('Its verdict, in plain sentences.'),
});

export const ComparedItem = named('ComparedItem', 'One case and one pair of targets in both runs.', {
  case_id: id.describe('The id of the case, in the suite version of the other run.'),
  case_name: z.string().nullable().describe('The name of the case; null when it has none.'),
  category: z.string().nullable().describe('Its category; null when it has none.'),
  prompt: z.string().describe('The prompt of the case, or the last user message of its conversation.'),
  expected: Expectation,
  target_a: targetName,
  target_b: targetName,
  outcome: CaseOutcome,
  a: ComparedSide.describe('The case in the baseline.'),
  b: ComparedSide.describe('The case in the other run.'),
});
export type ComparedItem = z.infer<typeof ComparedItem>;

/** One model of a run against the same model of another run. */
export const ModelChange = named('ModelChange', 'One model of a run, compared with the same model of another run.', {
  target: targetName,
  verdict: ComparisonVerdict,
  difference: figure.describe('Its difference over the common cases, -1..1.'),
  ci: interval.nullable().describe('Its 95 % interval.'),
  from: figure.describe('Its mean over these cases in the other run, which came first.'),
  to: figure.describe('Its mean over these cases in this run.'),
});
export type ModelChange = z.infer<typeof ModelChange>;

export const comparedModels = {
  worst: ModelChange.nullable().describe(
    'The model with the lowest difference, of those that are shown to be worse, if any are. Null when no model ' +
      'could be compared.',
  ),
  regressed: z.int().describe('Models that are shown to be worse, corrected for their number.'),
  improved: z.int().describe('Models that are shown to be better, corrected for their number.'),
};

/** Summary of a run's comparison with the baseline of its experiment. */
export const BaselineComparison = named('BaselineComparison', "A run compared with its experiment's baseline.", {
  baseline_eval_id: id.describe('The baseline that it was compared with.'),
  verdict: ComparisonVerdict,
  difference: figure.describe('The difference to the baseline over the common cases, -1..1.'),
  ci: interval.nullable().describe('Its 95 % interval.'),
  p: figure.describe('The p value that belongs to the interval.'),
  n_cases: z.int().describe('How many cases it is over.'),
  small: z.boolean().describe('Whether the difference is shown to be below the margin.'),
  text: z.string().describe('The verdict in a sentence.'),
  models: z
    .object(comparedModels)
    .optional()
    .describe('What became of its models. Left out in comparisons of earlier releases, until they are made again.'),
});
export type BaselineComparison = z.infer<typeof BaselineComparison>;

const DIFFERS = ['targets', 'cases'] as const;
export const DeltaObstacle = z
  .enum(DIFFERS)
  .describe(
    'Why there is no `delta`: other targets, or too few cases in common: fewer than 80 %, or not all of them scored ' +
      'when the run was stopped.',
  );
export type DeltaObstacle = z.infer<typeof DeltaObstacle>;
