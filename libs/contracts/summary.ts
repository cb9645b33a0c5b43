import { z } from 'zod';

const share = z.number().nullable();
export const GroupSummary = z.object({
  cases: z.int(),
  scored: z.int(),
  errored: z.int(),
  passed: z.int(),
  tool_accuracy: share,
  param_accuracy: share,
  overall: share,
  irrelevance_accuracy: share,
});
export type GroupSummary = z.infer<typeof GroupSummary>;

const interval = z.tuple([z.number(), z.number()]).nullable();
/** A metric over the results of a target; those that it does not apply to are in no mean. */
export const MetricSummary = z.object({ mean: share, /** 95 %, bootstrap over cases. */ ci: interval, scored: z.int(), not_applicable: z.int() });
export type MetricSummary = z.infer<typeof MetricSummary>;

/** The final figures of a target. Shares are 0..1, null where nothing applies; errored items are in none of them. */
export const Summary = GroupSummary.extend({
  target: z.string(),
  /** 95 % interval of `overall`: bootstrap over cases, seeded. */
  overall_ci: interval,
  /** Share of scored items that passed, with its 95 % interval: Wilson, or bootstrap over cases where they have several samples. */
  pass_rate: share,
  pass_rate_ci: interval,
  /** pass@k, from k = 1 to the smallest number of scored samples of a case: the chance that one of k samples passes. */
  pass_at_k: z.array(z.number()),
  /** pass^k: the chance that all of k samples pass. */
  pass_hat_k: z.array(z.number()),
  metrics: z.record(z.string(), MetricSummary),
  format_counts: z.record(z.string(), z.int()),
  error_counts: z.record(z.string(), z.int()),
  tool_choice_used: z.record(z.string(), z.int()).meta({
    description: 'How many scored results that expect a call were asked for with each `tool_choice`. Another one than the run asks for: see `warnings` of the run. Empty in summaries of earlier releases.',
    examples: [{ required: 17, auto: 3 }],
  }),
  by_category: z.record(z.string(), GroupSummary),
  latency_ms: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }),
  cost_usd: z.number().nullable(),
  /** Results that stored replies answered, and the tokens of these; they are in `usage` too, and cost nothing. */
  cached: z.object({ results: z.int(), prompt_tokens: z.int(), completion_tokens: z.int() }),
}).meta({ id: 'Summary' });
export type Summary = z.infer<typeof Summary>;

/** What a summary needs of a settled item. */
export interface SettledItem {
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
  abstention: boolean;
  latency_ms: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cost_usd: number | null;
  cached: boolean;
  tool_choice_used: string | null;
  /** Scores of the run's metrics by name; null where one does not apply. */
  metrics?: Record<string, number | null>;
}
