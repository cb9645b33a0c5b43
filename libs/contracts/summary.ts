import { z } from 'zod';
import { described } from './named.js';
import type { TOKEN_PARTS } from './token-counts.js';

const share = z.number().nullable();
const interval = z.tuple([z.number(), z.number()]).nullable();
export const GroupSummary = z.object({
  cases: z.int().describe('Cases that have a result, scored or errored.'),
  scored: z.int().describe('Results with a score.'),
  errored: z
    .int()
    .describe('Results without a score, because the provider or the network failed. They are in no average.'),
  passed: z.int().describe('Scored results that passed.'),
  tool_accuracy: share.describe('Mean tool score, 0..1; null when nothing is scored.'),
  param_accuracy: share.describe('Mean parameter score over the results that have one, 0..1; null when none has.'),
  overall: share.describe('Mean overall score, 0..1; null when nothing is scored.'),
  overall_ci: interval.describe(
    '95 % interval of `overall`, over cases (`ci_method` says how). Null when nothing is scored, and for ' +
      'categories in summaries of earlier releases.',
  ),
  irrelevance_accuracy: share.describe(
    'Mean overall score of the cases that expect no call, 0..1; null when there are none.',
  ),
});
export type GroupSummary = z.infer<typeof GroupSummary>;

/** The figures of a category of cases. */
export const CategorySummary = GroupSummary.extend({
  figures: z
    .record(z.string(), z.number())
    .optional()
    .describe(
      'Of conversations: the mean of each figure over the results of the category that have it, by name. Left out ' +
        'where there is none, and in summaries of earlier releases.',
    )
    .meta({ example: { 'conversation.state': 0.93 } }),
});
export type CategorySummary = z.infer<typeof CategorySummary>;

const askedTokens = (what: string) =>
  z
    .int()
    .optional()
    .describe(
      `${what}, without those of stored replies. Left out in summaries of earlier releases, and where the provider ` +
        'counts none.',
    );

/** A metric over the results of a target. */
export const MetricSummary = z.object({
  mean: share.describe('Mean score over the results that the metric applies to; null when it applies to none.'),
  ci: interval.describe('95 % interval of the mean, over cases (`ci_method` says how); null when there is no mean.'),
  scored: z.int().describe('Results that the metric applies to.'),
  not_applicable: z.int().describe('Results that the metric does not apply to. They are not in the mean.'),
});
export type MetricSummary = z.infer<typeof MetricSummary>;

export const Summary = GroupSummary.extend({
  target: z.string().describe('The model that was asked, as `provider_key::model_id`.'),
  ci_method: z
    .enum(['t_pseudo_cases', 'bootstrap'])
    .describe(
      'How `overall_ci` and the intervals of metrics and categories are computed. `t_pseudo_cases`: the t interval ' +
        'over cases after adding two pseudo-cases, 0 and 1. `bootstrap`: over cases, in summaries of earlier releases.',
    ),
  pass_rate: share.describe('Share of scored results that passed, 0..1; null when nothing is scored.'),
  pass_rate_ci: interval.describe(
    "95 % interval of `pass_rate`: Wilson's where each case has one scored sample, else by " +
      '`ci_method`; null when nothing is scored.',
  ),
  pass_at_k: z
    .array(z.number())
    .describe(
      'pass@k for k = 1, 2, ... up to the smallest number of scored samples of a case: the chance ' +
        'that at least one of k samples passes, averaged over cases.',
    ),
  pass_hat_k: z
    .array(z.number())
    .describe('pass^k for the same k: the chance that all of k samples pass, averaged over cases.'),
  metrics: z.record(z.string(), MetricSummary).describe('The further metrics of the run, by name (`as`).'),
  format_counts: z.record(z.string(), z.int()).describe('How many scored results have each `format_compliance`.'),
  error_counts: z
    .record(z.string(), z.int())
    .describe('How many results have each `error_type`, `none` and `errored` included.'),
  syntax_counts: z
    .record(z.string(), z.int())
    .optional()
    .describe(
      'How many results have calls that the host left in the text, by `syntax`. Left out in summaries of earlier ' +
        'releases.',
    ),
  tool_choice_used: z.record(z.string(), z.int()).meta({
    description:
      'How many scored results that expect a call were requested with each `tool_choice`. Where it differs from that ' +
      'of the run, `warnings` of the run say why. Empty in summaries of earlier releases.',
    examples: [{ required: 17, auto: 3 }],
  }),
  by_category: z
    .record(z.string(), CategorySummary)
    .describe('The same figures for each category of cases. Cases without a category are left out.'),
  latency_ms: described('The latency of scored results, in milliseconds.', {
    p50: z.number().nullable().describe('The median, in milliseconds; null when no reply was timed.'),
    p95: z.number().nullable().describe('The 95th percentile, in milliseconds; null when no reply was timed.'),
  }),
  usage: described('Tokens of all results, including those that stored replies answered.', {
    prompt_tokens: z.int().describe('Tokens of all requests, as the provider counted them.'),
    completion_tokens: z.int().describe('Tokens of all replies, as the provider counted them.'),
    cache_read_tokens: askedTokens('Tokens of requests read from the cache of the provider'),
    cache_write_5m_tokens: askedTokens('Tokens of requests written to the cache of the provider for five minutes'),
    cache_write_1h_tokens: askedTokens('Tokens of requests written to the cache of the provider for an hour'),
    reasoning_tokens: askedTokens('Reasoning tokens of replies'),
  }),
  cost_usd: z
    .number()
    .nullable()
    .describe(
      "The billed amount in US dollars: as the provider reports it, or else at the model's prices at the time; null " +
        'when it had none.',
    ),
  cached: described('What stored replies saved. Their tokens are in `usage`, too, and cost nothing.', {
    results: z.int().describe('Results that stored replies answered.'),
    prompt_tokens: z.int().describe('Tokens of their requests.'),
    completion_tokens: z.int().describe('Tokens of their replies.'),
  }),
}).meta({
  id: 'Summary',
  description:
    'The final figures of one target of a run. Shares are 0..1, and null where nothing applies. ' +
    'They leave out errored results.',
});
export type Summary = z.infer<typeof Summary>;

/** The parts of a settled item that a summary needs. */
export interface SettledItem extends Partial<Record<(typeof TOKEN_PARTS)[number], number | null>> {
  case_position: number;
  category: string | null;
  outcome: 'scored' | 'errored';
  passed: boolean;
  tool_score: number | null;
  param_score: number | null;
  overall: number | null;
  error_type: string;
  error_kind: string | null;
  format_compliance: string | null;
  syntax?: string | null;
  abstention: boolean;
  latency_ms: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cost_usd: number | null;
  cached: boolean;
  tool_choice_used: string | null;
  /** Scores of the run's metrics by name. Null if a metric does not apply. */
  metrics?: Record<string, number | null>;
}
