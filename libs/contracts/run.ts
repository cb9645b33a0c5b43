import { z } from 'zod';
import { JobStatus } from './job.js';
import { MetricAsked, type RunMetric } from './metric.js';
import { id, time } from './page.js';
import { Params } from './params.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';
import { ErrorType, Evidence, FormatCompliance, ReadCall } from './verdict.js';

export const ToolChoice = z.enum(['required', 'auto', 'none']);
export type ToolChoice = z.infer<typeof ToolChoice>;

/**
 * What went wrong between us and the model. The item has no score then. `crashed`: processes died of it; `internal`: something
 * unforeseen was thrown here; `unscorable`: scoring its reply took more than it may.
 */
export const ERROR_KINDS = [
  'rate_limited', 'timeout', 'network', 'provider_5xx', 'auth', 'bad_request', 'bad_response', 'crashed', 'internal', 'unscorable',
] as const;
export const ErrorKind = z.enum(ERROR_KINDS);
export type ErrorKind = z.infer<typeof ErrorKind>;

export const TargetInput = z.union([
  z.string().min(1).max(300),
  z.strictObject({ provider_key: z.string().min(1), model_id: z.string().min(1), params: Params.default({}) }),
]);

export const CacheMode = z.enum(['off', 'use', 'refresh']);
export type CacheMode = z.infer<typeof CacheMode>;

/** Stops a run in state `budget_exceeded`; what is settled stays. */
export const Budget = z
  .strictObject({ max_cost_usd: z.number().positive().optional(), max_requests: z.int().positive().max(2_000_000_000).optional() })
  .meta({ id: 'Budget' });

/** Resumes a run. A budget given here replaces the run's; null takes it away. */
export const ResumeInput = z.strictObject({ budget: Budget.nullable().optional() }).meta({ id: 'ResumeInput' });
export type ResumeInput = z.infer<typeof ResumeInput>;

export const RunInput = z
  .strictObject({
    suite_id: id,
    models: z.array(TargetInput).min(1).max(100),
    temperature: z.number().min(0).max(2).default(0),
    tool_choice: ToolChoice.default('required'),
    samples: z.int().min(1).max(100).default(1),
    max_tokens: z.int().min(1).max(1_000_000).default(1024),
    timeout_s: z.number().min(1).max(3600).default(120),
    /** Sent along with every request; a target's own `params` win. */
    params: Params.default({}),
    /** For all targets, or by target (`provider_key::model_id`, `*` for the rest). */
    system_prompt: z.union([z.string().max(50_000), z.record(z.string(), z.string().max(50_000))]).nullable().default(null),
    /** Further metrics, computed for each result beside the house score; `GET /api/metrics` lists them. */
    metrics: z.array(MetricAsked).max(20).default([]),
    case_filter: z
      .strictObject({ tags: z.array(z.string()).max(50).optional(), category: z.string().optional() })
      .nullable()
      .default(null),
    model_order: z.enum(['sequential', 'parallel']).default('sequential'),
    budget: Budget.nullable().default(null),
    /**
     * Whether requests that were made before are answered from stored replies (`use`), made again and stored (`refresh`), or
     * neither. Left out: `use` at temperature 0 and one sample, else `off`.
     */
    cache: CacheMode.optional(),
    experiment_id: id.nullable().default(null),
  })
  .meta({ id: 'RunInput' });
export type RunInput = z.infer<typeof RunInput>;
/** A run's settings as they are kept: the submitted ones, defaults filled in. */
export type RunConfig = Omit<RunInput, 'suite_id' | 'models' | 'experiment_id' | 'metrics' | 'cache'> & { metrics: RunMetric[]; cache: CacheMode };

export const Submitted = z.object({ job_id: id, eval_id: id, status: z.literal('submitted') }).meta({ id: 'Submitted' });

/** What a run is expected to take. Requests that stored replies answer are counted apart, as `cached`, and in nothing else. */
const Expected = z.object({
  requests: z.int(),
  cached: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** null when a model has no prices. */
  cost_usd: z.number().nullable(),
  /** Under the lanes' limits and their present backlog. */
  duration_s: z.number(),
});
export const Estimate = Expected.extend({
  targets: z.array(Expected.extend({
    target: z.string(),
    /** The tokenizer that counted the prompt, or the rule. */
    tokens_by: z.string(),
    /** Where lengths and latencies of replies come from. */
    replies_by: z.enum(['earlier runs', 'rule']),
  })),
  /** Prompts that were counted; the others are taken to be like them. */
  counted_cases: z.int(),
  cases: z.int(),
}).meta({ id: 'Estimate' });
export type Estimate = z.infer<typeof Estimate>;
/** What a run took, in the words of its estimate. */
export const Actual = Expected.meta({ id: 'Actual' });
export type Actual = z.infer<typeof Actual>;

export const RunTarget = z.object({
  target: z.string(),
  provider_key: z.string(),
  model_id: z.string(),
  total: z.int(),
  settled: z.int(),
  errored: z.int(),
  passed: z.int(),
});
export type RunTarget = z.infer<typeof RunTarget>;

export const RunWarning = z
  .object({
    code: z.string().meta({ description: 'What was changed, and for which model; once in a run.', examples: ['tool_choice:openai::gpt-x'] }),
    message: z.string().nullable().meta({ description: 'A sentence that says it. null where an earlier release announced it, which did not keep it.' }),
    at: time.nullable().meta({ description: 'When it happened first. null where an earlier release announced it.' }),
  })
  .meta({ id: 'RunWarning', description: 'Something that was done differently than the run asked for.' });
export type RunWarning = z.infer<typeof RunWarning>;

export const Run = z
  .object({
    id,
    job_id: id,
    suite: z.object({ id, name: z.string(), version: z.int() }),
    status: JobStatus,
    config: jsonObject,
    targets: z.array(RunTarget),
    counts: z.object({ total: z.int(), settled: z.int(), errored: z.int(), passed: z.int() }),
    /** Mean over the targets' overall means, 0..1; null while nothing is scored. */
    score: z.number().nullable(),
    delta: z.number().nullable(),
    summaries: z.array(Summary),
    experiment_id: id.nullable(),
    /** Made when the run was submitted. */
    estimate: Estimate.nullable(),
    /** Beside it, once the run has ended. */
    actual: Actual.nullable(),
    warnings: z.array(RunWarning).meta({ description: 'What was done differently than asked, as it happened; kept as long as the run. 200 at most: its log has the rest.' }),
    created_at: time,
    finished_at: time.nullable(),
  })
  .meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;

export const Result = z
  .object({
    id: z.string(),
    seq: z.int(),
    target: z.string(),
    case_id: id,
    case_name: z.string().nullable(),
    prompt: z.string(),
    category: z.string().nullable(),
    sample: z.int(),
    outcome: z.enum(['scored', 'errored']),
    passed: z.boolean(),
    tool_score: z.number().nullable(),
    param_score: z.number().nullable(),
    overall: z.number().nullable(),
    error_type: ErrorType,
    format_compliance: FormatCompliance.nullable(),
    expected: z.object({ tool: z.unknown(), params: z.unknown(), calls: z.array(z.unknown()).optional() }),
    called: z.array(ReadCall),
    evidence: Evidence.nullable(),
    metrics: z.record(z.string(), jsonObject).meta({ description: "What each metric of the run found, by its name there; the run's `config.metrics` says which metric that is, its version and options." }),
    /** Of the scoring that made this verdict; rises whenever a reply could score differently than before. */
    scoring_version: z.int(),
    latency_ms: z.int().nullable(),
    usage: z.object({ prompt_tokens: z.int().nullable(), completion_tokens: z.int().nullable() }),
    cost_usd: z.number().nullable(),
    cached: z.boolean(),
    attempts: z.int(),
    error: z.object({ kind: ErrorKind, message: z.string() }).nullable(),
    tool_choice_used: ToolChoice.nullable(),
    settled_at: time,
  })
  .meta({ id: 'Result' });
export type Result = z.infer<typeof Result>;

/** One result with what went over the wire. */
export const ResultWithExchange = Result.extend({
  /** Plain sentences about the verdict. */
  explanation: z.array(z.string()),
  exchange: z
    .object({
      requests: z.array(z.unknown()),
      replies: z.array(z.unknown()),
      /** Requests that were refused; `replies` holds twenty of them at most. */
      refused: z.int().optional(),
      /** Names that tools have here, by those that went over the wire in their place. */
      names: z.record(z.string(), z.string()).optional(),
    })
    .nullable(),
}).meta({ id: 'ResultWithExchange' });

export const ResultsQuery = z.object({
  model: z.string().optional(),
  outcome: z.enum(['scored', 'errored']).optional(),
  error_type: ErrorType.optional(),
  category: z.string().optional(),
  passed: z.enum(['true', 'false']).transform((text) => text === 'true').optional(),
  /** The verdicts of a rescore instead of the run's own. */
  rescore_id: id.optional(),
});
