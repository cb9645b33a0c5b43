import { z } from 'zod';
import { JobStatus } from './job.js';
import { MetricAsked, type RunMetric } from './metric.js';
import { id, suiteId, time } from './page.js';
import { Params } from './params.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';
import { ErrorType, Evidence, FormatCompliance, ParsedCall } from './verdict.js';

export const ToolChoice = z
  .enum(['required', 'auto', 'none'])
  .meta({ description: 'Whether the model must call a tool (`required`), may (`auto`), or must not (`none`).' });
export type ToolChoice = z.infer<typeof ToolChoice>;

export const ERROR_KINDS = [
  'rate_limited',
  'timeout',
  'network',
  'provider_5xx',
  'auth',
  'bad_request',
  'bad_response',
  'crashed',
  'internal',
  'unscorable',
  'unrecorded',
] as const;
export const ErrorKind = z.enum(ERROR_KINDS).meta({
  description:
    'What went wrong between Toolmark and the model, after all retries. `crashed`: processes died of ' +
    'it; `internal`: something unforeseen was thrown here; `unscorable`: scoring the reply took more ' +
    'than it may; `unrecorded`: a recorded run has no reply of it.',
});
export type ErrorKind = z.infer<typeof ErrorKind>;

export const TargetInput = z.union([
  z
    .string()
    .min(1)
    .max(300)
    .meta({ description: 'A model as `provider_key::model_id`, or its id alone where exactly one provider has it.' }),
  z
    .strictObject({
      provider_key: z.string().min(1).meta({ description: 'The `key` of the provider.' }),
      model_id: z.string().min(1).meta({ description: 'The id of the model at the provider.' }),
      params: Params.default({}),
    })
    .meta({ description: 'A model with parameters of its own for this run.' }),
]);

export const CacheMode = z.enum(['off', 'use', 'refresh']).meta({
  description:
    'Whether requests that were made before are answered from stored replies (`use`), made again and ' +
    'stored (`refresh`), or neither (`off`).',
});
export type CacheMode = z.infer<typeof CacheMode>;

export const Budget = z
  .strictObject({
    max_cost_usd: z.number().positive().optional().meta({
      description: 'US dollars that the run may cost; all its models need prices. Left out, its cost is not limited.',
    }),
    max_requests: z.int().positive().max(2_000_000_000).optional().meta({
      description: 'Requests that the run may make, retries included. Left out, their number is not limited.',
    }),
  })
  .meta({
    id: 'Budget',
    description: 'A run that goes beyond one of these stops in state `budget_exceeded`; what is settled stays.',
  });

export const ResumeInput = z
  .strictObject({
    budget: Budget.nullable()
      .optional()
      .meta({ description: 'Replaces the budget of the run; null takes it away. Left out, the budget stays.' }),
  })
  .meta({ id: 'ResumeInput', description: 'Resumes a run: asks again what errored, and what was not asked yet.' });
export type ResumeInput = z.infer<typeof ResumeInput>;

export const RunInput = z
  .strictObject({
    suite_id: suiteId.meta({ description: 'The suite to run. The run keeps the version that the suite has now.' }),
    models: z
      .array(TargetInput)
      .min(1)
      .max(100)
      .meta({ description: 'The models to ask, each once: every case is played with each of them.' }),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .default(0)
      .meta({ description: 'Sent with every request, but to models that list it in `unsupported_params`.' }),
    tool_choice: ToolChoice.default('required').meta({
      description:
        'Whether models must call a tool (`required`), may (`auto`), or must not (`none`). Under ' +
        '`required`, cases that expect no call are sent with `auto`: they could not be won otherwise.',
    }),
    samples: z.int().min(1).max(100).default(1).meta({ description: 'How often each case is played with each model.' }),
    max_tokens: z.int().min(1).max(1_000_000).default(1024).meta({ description: 'The most tokens of one reply.' }),
    timeout_s: z
      .number()
      .min(1)
      .max(3600)
      .default(120)
      .meta({ description: 'Seconds that one request may take before it is broken off and retried.' }),
    params: Params.default({}).meta({
      description: `${Params.description} A target's own win.`,
    }),
    system_prompt: z
      .union([z.string().max(50_000), z.record(z.string(), z.string().max(50_000))])
      .nullable()
      .default(null)
      .meta({
        description:
          "Stands after the suite's own system prompt: a text for all models, or an object with one " +
          'for each target (`provider_key::model_id`; `*` for the rest).',
      }),
    metrics: z.array(MetricAsked).max(20).default([]).meta({
      description: 'Further metrics, computed for each result beside the house score; `GET /api/metrics` lists them.',
    }),
    case_filter: z
      .strictObject({
        tags: z
          .array(z.string())
          .max(50)
          .optional()
          .meta({ description: 'Only cases that have at least one of these tags.' }),
        category: z.string().optional().meta({ description: 'Only cases of this category.' }),
      })
      .nullable()
      .default(null)
      .meta({ description: 'Which cases of the suite to run; null for all of them. Drafts never run.' }),
    model_order: z
      .enum(['sequential', 'parallel'])
      .default('sequential')
      .meta({
        description:
          'Whether the models of one provider are asked one after the other, or side by side. ' +
          'Different providers are always asked side by side.',
      }),
    budget: Budget.nullable().default(null).meta({ description: 'What the run may cost and ask; null for no limit.' }),
    cache: CacheMode.optional().meta({
      description:
        'Whether requests that were made before are answered from stored replies (`use`), made again ' +
        'and stored (`refresh`), or neither (`off`). Left out: `use` at temperature 0 and one ' +
        'sample, else `off`.',
    }),
    experiment_id: id
      .nullable()
      .default(null)
      .meta({ description: 'The experiment that the run belongs to, about the same suite; null for none.' }),
  })
  .meta({ id: 'RunInput', description: 'A run to submit, or to estimate: a suite against some models.' });
export type RunInput = z.infer<typeof RunInput>;
/** A run's settings as they are kept: the submitted ones, defaults filled in. */
export type RunConfig = Omit<RunInput, 'suite_id' | 'models' | 'experiment_id' | 'metrics' | 'cache'> & {
  metrics: RunMetric[];
  cache: CacheMode;
};
/** Of a run whose replies were made elsewhere; null is what it knows nothing of. */
export type RecordedConfig = Pick<RunConfig, 'samples' | 'metrics' | 'params' | 'model_order' | 'budget' | 'cache'> & {
  recorded: true;
  temperature: null;
  tool_choice: null;
  max_tokens: null;
  timeout_s: null;
  system_prompt: null;
  case_filter: null;
};

export const Submitted = z
  .object({
    job_id: id.meta({
      description:
        'The job that carries it out: `GET /api/jobs/{id}` says how far it is, and the live events are by this id.',
    }),
    eval_id: id.meta({ description: 'The run: `GET /api/tool-eval/history/{id}` has its results.' }),
    status: z.literal('submitted').meta({ description: 'Always `submitted`; from here on the job has the status.' }),
  })
  .meta({ id: 'Submitted', description: 'A run that was accepted. It goes on in the background.' });
export type Submitted = z.infer<typeof Submitted>;

/**
 * What a run is expected to take. Requests that stored replies answer are counted apart, as `cached`, and in
 * nothing else.
 */
const Expected = z.object({
  requests: z.int().meta({ description: 'Requests to models.' }),
  cached: z
    .int()
    .meta({ description: 'Requests that stored replies answer. They are not in `requests`, and cost nothing.' }),
  prompt_tokens: z.int().meta({ description: 'Tokens of the requests.' }),
  completion_tokens: z.int().meta({ description: 'Tokens of the replies.' }),
  cost_usd: z.number().nullable().meta({ description: 'US dollars; null when a model has no prices.' }),
  duration_s: z.number().meta({
    description:
      'Seconds from beginning to end. An estimate counts in the limits of the providers and the ' +
      'work they have at present.',
  }),
});
export const Estimate = Expected.extend({
  targets: z
    .array(
      Expected.extend({
        target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
        tokens_by: z.string().meta({ description: 'The tokenizer that counted the prompts, or the rule.' }),
        replies_by: z.enum(['earlier runs', 'rule']).meta({
          description:
            'Where the lengths and latencies of replies come from: earlier runs with this model, ' +
            'or 64 tokens and 2 seconds each.',
        }),
      }),
    )
    .meta({ description: 'The same for each model.' }),
  counted_cases: z
    .int()
    .meta({ description: 'Cases whose prompts were counted; the others are taken to be like them.' }),
  cases: z.int().meta({ description: 'Cases that would run.' }),
}).meta({ id: 'Estimate', description: 'What a run is expected to take.' });
export type Estimate = z.infer<typeof Estimate>;
export const Actual = Expected.meta({ id: 'Actual', description: 'What a run took, in the words of its estimate.' });
export type Actual = z.infer<typeof Actual>;

export const RunTarget = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  provider_key: z.string().meta({ description: 'The `key` of its provider.' }),
  model_id: z.string().meta({ description: 'Its id at the provider.' }),
  total: z.int().meta({ description: 'Items of this target: cases times samples.' }),
  settled: z.int().meta({ description: 'Items that have a result, scored or errored.' }),
  errored: z.int().meta({ description: 'Items that errored: no score, and in no average.' }),
  passed: z.int().meta({ description: 'Items that passed.' }),
  recorded: z.literal(true).optional().meta({
    description: 'Its replies were made elsewhere (`POST /api/tool-eval/recorded`). Left out where a model was asked.',
    example: true,
  }),
});
export type RunTarget = z.infer<typeof RunTarget>;

export const RunWarning = z
  .object({
    code: z.string().meta({
      description: 'What was changed, and for which model; once in a run.',
      examples: ['tool_choice:openai::gpt-x'],
    }),
    message: z.string().nullable().meta({
      description: 'A sentence that says it. null where an earlier release announced it, which did not keep it.',
    }),
    at: time.nullable().meta({ description: 'When it happened first. null where an earlier release announced it.' }),
  })
  .meta({ id: 'RunWarning', description: 'Something that was done differently than the run asked for.' });
export type RunWarning = z.infer<typeof RunWarning>;

export const Run = z
  .object({
    id: id.meta({ description: 'The id of the run: the `eval_id` of its submit.' }),
    job_id: id.meta({ description: 'The job that carries it out; after a resume the job of that.' }),
    suite: z
      .object({
        id: id.meta({ description: 'The id of the suite.' }),
        name: z.string().meta({ description: 'Its name when the run was submitted.' }),
        version: z
          .int()
          .meta({ description: 'The version that the run keeps. Later changes of the suite change no result.' }),
      })
      .meta({ description: 'The suite that is run.' }),
    status: JobStatus,
    config: jsonObject.meta({
      description:
        'What was submitted, defaults filled in, with `models` as objects of `provider_key`, `model_id` and `params`.',
    }),
    targets: z.array(RunTarget).meta({ description: 'How far each model is, in the order of the submit.' }),
    counts: z
      .object({
        total: z.int().meta({ description: 'Items of the run: cases times samples times models.' }),
        settled: z.int().meta({ description: 'Items that have a result, scored or errored.' }),
        errored: z.int().meta({ description: 'Items that errored: no score, and in no average.' }),
        passed: z.int().meta({ description: 'Items that passed.' }),
      })
      .meta({ description: 'How far the run is.' }),
    score: z
      .number()
      .nullable()
      .meta({ description: "Mean over the models' overall means, 0..1; null while nothing is scored." }),
    delta: z.number().nullable().meta({
      description:
        "`score` less that of the experiment's baseline; null without a baseline, and until the run has ended.",
    }),
    summaries: z.array(Summary).meta({ description: 'The final figures of each model that is done.' }),
    experiment_id: id.nullable().meta({ description: 'The experiment that the run belongs to; null for none.' }),
    estimate: Estimate.nullable().meta({
      description:
        'What the run was expected to take, made when it was submitted; null for runs of before there were estimates.',
    }),
    actual: Actual.nullable().meta({ description: 'What the run took; null until it has ended.' }),
    warnings: z.array(RunWarning).meta({
      description:
        'What was done differently than asked, in the order that it came up; kept as long as the ' +
        'run. 200 at most: the log has the rest.',
    }),
    created_at: time.meta({ description: 'When the run was submitted.' }),
    finished_at: time.nullable().meta({ description: 'When the run ended; null until then.' }),
  })
  .meta({ id: 'Run', description: 'One version of a suite against some models.' });
export type Run = z.infer<typeof Run>;

export const Result = z
  .object({
    id: z.string().meta({
      description:
        'The id of the result, unique in its run. Made of the target, the case and the sample; take it as opaque.',
    }),
    seq: z
      .int()
      .meta({ description: 'Its number in the log of the job that settled it. Results are listed in this order.' }),
    target: z.string().meta({ description: 'The model that was asked, as `provider_key::model_id`.' }),
    case_id: id.meta({ description: "The case, as the suite's version of the run has it." }),
    case_name: z.string().nullable().meta({ description: 'The name of the case; null when it has none.' }),
    prompt: z.string().meta({ description: 'The prompt of the case, or what the user said last in its conversation.' }),
    category: z.string().nullable().meta({ description: 'The category of the case; null when it has none.' }),
    sample: z.int().meta({ description: 'Which repetition of the case it is, from 0.' }),
    outcome: z.enum(['scored', 'errored']).meta({
      description:
        'Whether a model answered (`scored`, however wrong it was), or the request failed after ' +
        'all retries (`errored`).',
    }),
    passed: z.boolean().meta({
      description:
        'Whether the case passed: its overall score reaches the pass threshold, and no rule of the case is broken.',
    }),
    tool_score: z
      .number()
      .nullable()
      .meta({
        description:
          'Whether the right tool was called, 0 or 1; with several expected calls the share of them ' +
          'that was made. Null when errored.',
      }),
    param_score: z.number().nullable().meta({
      description: 'Share of the expected arguments that are right, 0..1; null when none are expected, or errored.',
    }),
    overall: z
      .number()
      .nullable()
      .meta({
        description:
          '0.6 * tool_score + 0.4 * param_score, or the tool score alone where no arguments are ' +
          'expected, 0..1; null when errored.',
      }),
    error_type: ErrorType,
    format_compliance: FormatCompliance.nullable().meta({
      description:
        'How the reply made its calls: as the API has them (`native`), in a form that had to be ' +
        'repaired, unreadably (`malformed`), or not at all (`none`). Null when errored.',
    }),
    expected: z
      .object({
        tool: z.unknown().meta({ description: 'The expected tool, a list of acceptable ones, or null.' }),
        params: z.unknown().meta({ description: 'The expected arguments; null when they are not looked at.' }),
        calls: z
          .array(z.unknown())
          .optional()
          .meta({ description: 'The expected calls, of cases that expect several.' }),
      })
      .meta({ description: 'What the case expects.' }),
    called: z
      .array(ParsedCall)
      .meta({ description: 'The calls of the reply; of a chain those up to the first one of the expected tool.' }),
    evidence: Evidence.nullable().meta({ description: 'What the verdict rests on; null when errored.' }),
    metrics: z.record(z.string(), jsonObject).meta({
      description:
        'What the further metrics of the run say, by their names there: `score` (null where one ' +
        'does not apply), and fields of their own. `config.metrics` of the run has the metric, ' +
        'version and options of each name.',
    }),
    scoring_version: z.int().meta({
      description: 'Of the scoring that made this verdict; rises whenever a reply could score differently than before.',
    }),
    latency_ms: z
      .int()
      .nullable()
      .meta({
        description:
          'Milliseconds that the last attempt took, without waiting for its turn; of a chain the sum ' +
          'over its rounds. Null when a stored reply answered, or nothing was asked.',
      }),
    usage: z
      .object({
        prompt_tokens: z
          .int()
          .nullable()
          .meta({ description: 'Tokens of the request; null when the provider did not count them.' }),
        completion_tokens: z
          .int()
          .nullable()
          .meta({ description: 'Tokens of the reply; null when the provider did not count them.' }),
      })
      .meta({ description: 'Tokens, as the provider counted them; of a chain the sum over its rounds.' }),
    cost_usd: z.number().nullable().meta({
      description:
        'US dollars, by the prices of the model at the time; null when it has none. 0 when a stored reply answered.',
    }),
    cached: z.boolean().meta({ description: 'Whether a stored reply answered.' }),
    attempts: z
      .int()
      .meta({ description: 'Requests that were made for it, retries included; 0 when a stored reply answered.' }),
    error: z
      .object({
        kind: ErrorKind,
        message: z.string().meta({ description: 'What went wrong, in a sentence; keys are masked.' }),
      })
      .nullable()
      .meta({ description: 'Why there is no reply; null when there is one.' }),
    tool_choice_used: ToolChoice.nullable().meta({
      description: "What was sent in place of the run's `tool_choice`, or the same; null when nothing was sent.",
    }),
    settled_at: time.meta({ description: 'When the result was stored.' }),
  })
  .meta({ id: 'Result', description: 'What came of one case, one model and one sample.' });
export type Result = z.infer<typeof Result>;

export const ResultWithExchange = Result.extend({
  explanation: z.array(z.string()).meta({ description: 'The verdict in plain sentences.' }),
  exchange: z
    .object({
      requests: z.array(z.unknown()).meta({
        description:
          'The bodies of the requests, one for each attempt or round that differs. Of an exchange ' +
          'above 1 MiB as they are stored, without what the requests have in common.',
      }),
      replies: z
        .array(z.unknown())
        .meta({ description: 'The bodies of the answers as they came, refusals among them.' }),
      refused: z.int().optional().meta({
        description: 'How many requests were refused; `replies` holds twenty of them at most. Left out when none was.',
      }),
      names: z
        .record(z.string(), z.string())
        .optional()
        .meta({
          description:
            'Names that tools have here, by those that went over the wire in their place; left out ' +
            'where the provider takes the names as they are.',
        }),
    })
    .nullable()
    .meta({ description: 'What went over the wire; null when nothing did, or when it is not kept any more.' }),
}).meta({ id: 'ResultWithExchange', description: 'One result with what went over the wire.' });
export type ResultWithExchange = z.infer<typeof ResultWithExchange>;

export const RunExport = z
  .object({
    run: Run.meta({ description: 'The run.' }),
    results: z.array(Result).meta({ description: 'All its results, in the order they were settled.' }),
  })
  .meta({ id: 'RunExport', description: 'A run with all its results.' });

export const ResultsQuery = z.strictObject({
  model: z.string().optional().meta({
    description: "Only results of this model: `provider_key::model_id`, or the model's id.",
    example: 'simulator::perfect-ish',
  }),
  outcome: z.enum(['scored', 'errored']).optional().meta({ description: 'Only results with this outcome.' }),
  error_type: ErrorType.optional().meta({ description: 'Only results with this error type.' }),
  category: z.string().optional().meta({ description: 'Only results of cases of this category.', example: 'current' }),
  passed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Only results that passed (`true`), or that did not (`false`).' }),
  rescore_id: id.optional().meta({
    description: "The verdicts of this rescore instead of the run's own.",
    example: '019aa8a2-5c1e-7000-8000-000000000081',
  }),
});
