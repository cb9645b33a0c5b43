import { z } from 'zod';
import { CallDifference } from './call-difference.js';
import { described, named } from './named.js';
import { flag, id, PageQuery, pageOf } from './page.js';
import { Result, ResultsQuery } from './result.js';
import { ErrorType } from './verdict.js';
import { RUN_CASES_ORDERS, RUN_CASES_SHOWN } from './values/runs.js';

const count = z.int().min(0);

/**
 * The body of the 202 sent while an ended run is being counted, which happens once: when it ends, or when it is first
 * viewed.
 */
export const Counting = named('Counting', 'The figures of the run are being counted.', {
  status: z.literal('counting').describe('The results are being counted; ask again in a second.'),
});
export type Counting = z.infer<typeof Counting>;

/** Selects the scoring whose verdicts are counted. */
export const ScoringQuery = ResultsQuery.pick({ rescore_id: true });
export type ScoringQuery = z.infer<typeof ScoringQuery>;

/** `[passed, not passed, errored]`, which add up to all results. */
const counts = z
  .tuple([count, count, count])
  .describe('Results that passed, that were scored and did not pass, and that errored.');
const byTarget = z.array(counts).describe('For each model of the run, in the order of `targets`.');

export const FacetValue = z.object({
  value: z.string().describe('The value to filter by.'),
  by_target: byTarget,
});
export type FacetValue = z.infer<typeof FacetValue>;

export const FacetBin = z.object({
  from: z.number().describe('The lowest value of the bin, inclusive.'),
  to: z.number().describe('The highest value of the bin, inclusive.'),
  by_target: byTarget,
});
export type FacetBin = z.infer<typeof FacetBin>;

/** The values kept per facet, those with the most results; the rest is only counted. */
export const MAX_FACET_VALUES = 200;

const facet = (what: string) =>
  z
    .object({
      values: z.array(FacetValue).describe(`At most ${MAX_FACET_VALUES}, the most frequent first.`),
      others: count.describe('How many further values there are, which are not listed.'),
    })
    .describe(what);

export const RunFacets = z
  .object({
    targets: z.array(z.string()).describe('The models of the run, as `provider_key::model_id`.'),
    totals: byTarget,
    error_type: facet('By error type; `none` and `errored` are among them.'),
    category: facet('By category of the case. Cases without one are left out.'),
    expected_tool: facet(
      'By the tool that the case expects first; `(none)` where it expects no call, `(any)` where the goal of a ' +
        'conversation does not say what is called.',
    ),
    called_tool: facet(
      'By the tool that the reply calls; `(none)` without a call, `(unknown)` for a tool that the suite lacks.',
    ),
    format: facet('By `format_compliance`. Errored results are left out.'),
    syntax: facet(
      'By `syntax`, the way in which calls are written that a host left in the text. Only results that have one are ' +
        'counted, and none in facets of earlier releases.',
    ),
    missed: facet(
      'By the figures by which a conversation fell short: below 1, or above 0 for `conversation.fabricated`. A ' +
        'result may have several. None in facets of earlier releases.',
    ),
    tag: facet('By tag of the case. A case may have several.'),
    latency_ms: z
      .array(FacetBin)
      .describe('A histogram of the latency in milliseconds, with bins of equal width on a logarithmic scale.'),
    overall: z.array(FacetBin).describe('A histogram of the overall score: 0, ten bins between, and 1.'),
    counted_at: z.iso.datetime().describe('When the results were counted.'),
  })
  .meta({
    id: 'RunFacets',
    description: 'How many results of an ended run have each value that they can be filtered by.',
  });
export type RunFacets = z.infer<typeof RunFacets>;

/** Rows and columns kept individually in a confusion matrix; the rest is merged into `others`. */
export const MAX_CONFUSED = 40;

export const ConfusionQuery = z.strictObject({
  ...ScoringQuery.shape,
  target: z.string().max(300).optional().meta({
    description: 'Only results of this model, as `provider_key::model_id`; all of them if left out.',
    example: 'simulator::perfect-ish',
  }),
});
export type ConfusionQuery = z.infer<typeof ConfusionQuery>;

export const Confusion = named('Confusion', 'Which tools were called where others were expected.', {
  expected: z
    .array(z.string())
    .describe(
      `The rows: expected tools, the most frequent first, at most ${MAX_CONFUSED}; \`(none)\` means no call, ` +
        '`(any)` that the goal of a conversation does not say.',
    ),
  called: z
    .array(z.string())
    .describe('The columns: called tools, likewise; `(none)` means no call, `(unknown)` a tool that the suite lacks.'),
  cells: z
    .array(z.array(count))
    .describe('How many scored results there are, by row and column. The last row and column are all others.'),
  other_expected: count.describe('How many tools the last row combines.'),
  other_called: count.describe('How many tools the last column combines.'),
});
export type Confusion = z.infer<typeof Confusion>;

export const FailureGroup = named('FailureGroup', 'Results that did not pass in the same way.', {
  id: z.string().describe('The id of the group in this counting; treat it as opaque.'),
  error_type: ErrorType,
  expected_tool: z
    .string()
    .describe('The tool that the case expects first; `(none)` for no call, `(any)` where its goal does not say.'),
  called_tool: z
    .string()
    .describe(
      '`(none)` for no call, `(unknown)` for a tool that the suite lacks; for errored results the kind of error, ' +
        'and `not_scored` for replies that a rescore could not score.',
    ),
  argument: z.string().nullable().describe('The first argument that is wrong or missing, if one is.'),
  count: count.describe('How many results.'),
  by_target: z.array(count).describe('How many of each model, in the order of `targets`.'),
  example: z.string().describe('The id of one of the results.'),
  difference: CallDifference.nullable().describe(
    'What differs in the example; null where nothing does, and in groups after the 200 largest.',
  ),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

/** Groups kept per error type. */
export const MAX_FAILURE_GROUPS = 100;

export const FailureGroupsQuery = z.strictObject({
  ...ScoringQuery.shape,
  error_type: ErrorType.optional().meta({ description: 'Only groups of this error type.', example: 'wrong_argument' }),
});
export type FailureGroupsQuery = z.infer<typeof FailureGroupsQuery>;

export const FailureGroups = named('FailureGroups', 'Results that did not pass, grouped by kind.', {
  targets: z.array(z.string()).describe('The models of the run.'),
  items: z.array(FailureGroup).describe(`The largest first, at most ${MAX_FAILURE_GROUPS} of each error type.`),
  types: z
    .array(
      z.object({
        error_type: ErrorType,
        count: count.describe('How many results, those of the smaller groups included.'),
        other_groups: count.describe('How many of its groups are not listed.'),
        other_results: count.describe('How many results these hold.'),
      }),
    )
    .describe('The totals of each error type, the largest first.'),
  others: described('The totals of the smaller groups.', {
    groups: count.describe('How many groups are not listed.'),
    results: count.describe('How many results they hold.'),
  }),
});
export type FailureGroups = z.infer<typeof FailureGroups>;

export const DrawQuery = z.strictObject({
  ...ScoringQuery.shape,
  seed: z.coerce.number().int().min(0).max(2_000_000_000).default(1).meta({
    description: 'The same seed draws the same results.',
    example: 1,
  }),
  count: z.coerce.number().int().min(1).max(40).default(40).describe('The maximum number to draw.'),
});
export type DrawQuery = z.infer<typeof DrawQuery>;

export const DrawnResults = named('DrawnResults', 'Results of a group, drawn at random by a seed.', {
  items: z.array(Result).describe('The results in short form, in random order.'),
});
export type DrawnResults = z.infer<typeof DrawnResults>;

export const RunCasesQuery = z.strictObject({
  ...PageQuery.shape,
  ...ScoringQuery.shape,
  show: z
    .enum(RUN_CASES_SHOWN)
    .default('differing')
    .describe('Cases on which the models differ in their share of passed samples, all, or those that no model passed.'),
  order: z
    .enum(RUN_CASES_ORDERS)
    .default('position')
    .describe(
      'By position in the suite; by how far the models differ in their shares of passed samples, or by the mean ' +
        'share of failed samples, the highest first; or by category, those without one last.',
    ),
  category: ResultsQuery.shape.category.meta({ description: 'Only cases of these categories.', example: ['current'] }),
  tag: ResultsQuery.shape.tag.meta({ description: 'Only cases with any of these tags.', example: ['smoke'] }),
  from: z.coerce.number().int().min(0).max(1_000_000).default(0).meta({
    description: 'How many cases to skip after `cursor`, or from the start: for any part of a long list.',
    example: 200,
  }),
  compact: flag.describe('Whether cases have `by_target`, which is short, and no `cells`.'),
});
export type RunCasesQuery = z.infer<typeof RunCasesQuery>;

export const RunCase = named('RunCase', 'A case of a run, and how each model did on it.', {
  case_id: id.describe('The id of the case, in the suite version of the run.'),
  position: z.int().describe('The position of the case in its suite, from 0.'),
  case_name: z.string().nullable().describe('The name of the case; null when it has none.'),
  prompt: z.string().describe('The first 200 characters of the prompt, or of the last user message.'),
  category: z.string().nullable().describe('The category of the case; null when it has none.'),
  cells: z
    .array(
      z.object({
        scored: count.describe('Samples with a score.'),
        passed: count.describe('Samples that passed.'),
        errored: count.describe('Samples without a score.'),
        mean: z.number().nullable().describe('Mean overall score, 0..1; null when nothing is scored.'),
      }),
    )
    .describe('For each model of the run, in the order of its `targets`; empty with `compact`.'),
  by_target: byTarget.optional().meta({
    description:
      'With `compact`: results of each model that passed, that were scored and did not pass, and that errored.',
    example: [[1, 0, 0]],
  }),
});
export type RunCase = z.infer<typeof RunCase>;

export const RunCases = named('RunCases', 'Cases of a run by model: where models disagree.', {
  targets: z.array(z.string()).describe('The models of the run.'),
  total: count.describe('How many cases there are to show.'),
  counts: described('How many cases each value of `show` has, without the other filters.', {
    all: count.describe('All cases with results.'),
    differing: count.describe('Cases on which the models differ in their share of passed samples.'),
    all_failed: count.describe('Cases with a score that no model passed.'),
  }),
  categories: z
    .array(
      z.object({
        category: z.string().nullable().meta({
          description: 'The category; null for the cases without one.',
          example: 'current',
        }),
        cases: count.meta({ description: 'How many of the cases to show are in it.', example: 2 }),
      }),
    )
    .describe(
      'Ordered by category: the categories of the cases to show, in that order, if they are at most ' +
        `${MAX_FACET_VALUES}; otherwise empty.`,
    ),
  ...pageOf(RunCase).shape,
});
export type RunCases = z.infer<typeof RunCases>;
