import { z } from 'zod';
import { Actual, Estimate } from './estimate.js';
import { JobStatus } from './job.js';
import { MetricAsked, type RunMetric } from './metric.js';
import { id, suiteId, time } from './page.js';
import { Params } from './params.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';

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
/** The settings of a run as they are stored: the submitted ones with defaults filled in. */
export type RunConfig = Omit<RunInput, 'suite_id' | 'models' | 'experiment_id' | 'metrics' | 'cache'> & {
  metrics: RunMetric[];
  cache: CacheMode;
};
/** The settings of a run whose replies were made elsewhere. Null marks what such a run does not know. */
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
