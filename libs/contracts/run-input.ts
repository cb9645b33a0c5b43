import { z } from 'zod';
import { namedInput } from './named.js';
import { JudgeOfRun } from './judge-of-run.js';
import { MaxTokens } from './max-tokens.js';
import { MetricAsked, type RunMetric } from './metric.js';
import { id, suiteId } from './page.js';
import { Params } from './params.js';
import { PromptCache } from './prompt-cache.js';
import { ToolOverrides } from './prompt.js';
import { CACHE_MODES, ERROR_KINDS, MAX_PROMPT_CHARS, MODEL_ORDERS, TOOL_CHOICES } from './values/runs.js';

export const ToolChoice = z
  .enum(TOOL_CHOICES)
  .describe('Whether the model must call a tool (`required`), may (`auto`), or must not (`none`).');
export type ToolChoice = z.infer<typeof ToolChoice>;

export const ErrorKind = z
  .enum(ERROR_KINDS)
  .describe(
    'What went wrong, after all retries. `blocked`: a filter of the host refused the request. `crashed`: processes ' +
      'died with the item. `internal`: an error in Toolmark. `unscorable`: scoring took too much. `unrecorded`: no ' +
      'reply. `conversation`: rules of the case broke a limit. `user`, `tool`, `tool_server`: that of a conversation ' +
      'failed.',
  );
export type ErrorKind = z.infer<typeof ErrorKind>;

export const TargetInput = z.union([
  z
    .string()
    .min(1)
    .max(300)
    .describe('A model as `provider_key::model_id`, or just its id if exactly one provider has it.'),
  z
    .strictObject({
      provider_key: z.string().min(1).describe('The `key` of the provider.'),
      model_id: z.string().min(1).describe('The id of the model at the provider.'),
      params: Params.default({}),
    })
    .describe('A model with parameters for this run.'),
]);

const CacheMode = z
  .enum(CACHE_MODES)
  .describe(
    'Whether a repeated request gets a stored reply (`use`), is sent and stored (`refresh`), or neither (`off`).',
  );

export const Budget = z
  .strictObject({
    max_cost_usd: z
      .number()
      .positive()
      .optional()
      .describe('US dollars that the run may cost. All its models need prices. If left out, the cost is not limited.'),
    max_requests: z
      .int()
      .positive()
      .max(2_000_000_000)
      .optional()
      .describe('Requests that the run may make, including retries. If left out, their number is not limited.'),
  })
  .meta({
    id: 'Budget',
    description:
      'The limits of a run. A run that exceeds one of them stops with status `budget_exceeded` and ' +
      'keeps its settled results.',
  });

export const ResumeInput = z
  .strictObject({
    budget: Budget.nullable()
      .optional()
      .describe('Replaces the budget of the run; null removes it. If left out, the budget stays.'),
  })
  .meta({ id: 'ResumeInput', description: 'Resumes a run: repeats errored items, and runs those that are left.' });
export type ResumeInput = z.infer<typeof ResumeInput>;

const runName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .nullish()
  .describe('The display name of the run; null or left out for none.');
const runNote = z
  .string()
  .trim()
  .max(2_000)
  .nullish()
  .describe('A note on the run, such as what was tried; null or left out for none.');

export const RunInput = namedInput('RunInput', 'A run to submit, or to estimate: a suite against some models.', {
  name: runName,
  note: runNote,
  suite_id: suiteId.describe('The suite to run. The run pins its current version.'),
  models: z
    .array(TargetInput)
    .min(1)
    .max(100)
    .describe('The models to run, each once. Every case runs with each of them.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .default(0)
    .describe('Sent to all models but those that refuse it or have it in `unsupported_params`.'),
  tool_choice: ToolChoice.default('required').describe(
    'Whether models must call a tool (`required`), may (`auto`), or must not (`none`). Under ' +
      '`required`, cases that expect no call are sent with `auto`: otherwise they could not pass.',
  ),
  samples: z.int().min(1).max(100).default(1).describe('How often each case runs with each model.'),
  max_tokens: MaxTokens.optional().describe(
    `${MaxTokens.meta()!.description} Left out, it is that of the baseline of the experiment, and without a ` +
      'baseline null.',
  ),
  timeout_s: z
    .number()
    .min(1)
    .max(3600)
    .default(120)
    .describe('Seconds that one request may take before it is aborted and retried.'),
  params: Params.default({}).describe(`${Params.description} Those of a target take precedence.`),
  system_prompt: z
    .union([z.string().max(MAX_PROMPT_CHARS), z.record(z.string(), z.string().max(MAX_PROMPT_CHARS))])
    .nullable()
    .default(null)
    .describe(
      "Follows the suite's own system prompt: a text for all models, or an object with one for each " +
        'target (`provider_key::model_id`; `*` for the rest).',
    ),
  base_prompt: z
    .string()
    .max(MAX_PROMPT_CHARS)
    .nullable()
    .default(null)
    .describe(
      "Replaces the suite's own system prompt; empty for none, null for the suite's. `system_prompt` follows it.",
    ),
  tool_overrides: ToolOverrides.default({}).describe(
    "Descriptions of tools and their parameters that replace the suite's, by place.",
  ),
  prompt_version_id: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe(
      "A prompt version, by its id or by a tag that it has in the suite; null for the suite's own texts. Its " +
        'texts fill `base_prompt` and `tool_overrides` where the run gives none. The run stores the id and all ' +
        'texts, so deleting the version does not affect it.',
    ),
  metrics: z
    .array(MetricAsked)
    .max(20)
    .default([])
    .describe(
      'Further metrics, computed for each result in addition to the house score. `GET /api/metrics` lists them.',
    ),
  case_filter: z
    .strictObject({
      tags: z.array(z.string()).max(50).optional().describe('Only cases that have at least one of these tags.'),
      category: z.string().optional().describe('Only cases of this category.'),
    })
    .nullable()
    .default(null)
    .describe('Which cases of the suite to run; null for all of them. Drafts never run.'),
  model_order: z
    .enum(MODEL_ORDERS)
    .default('sequential')
    .describe(
      'Whether the models of one provider run one after the other, or side by side. Different ' +
        'providers always run side by side.',
    ),
  budget: Budget.nullable().default(null).describe('Limits for the cost and the number of requests; null for none.'),
  cache: CacheMode.optional().describe(
    'Whether a repeated request is answered by a stored reply (`use`), sent again and stored (`refresh`), or ' +
      'neither (`off`). Defaults to `use` at temperature 0 with one sample, otherwise to `off`.',
  ),
  prompt_cache: PromptCache,
  experiment_id: id
    .nullable()
    .default(null)
    .describe('The experiment that the run belongs to, with the same suite; null for none.'),
  judge: JudgeOfRun.nullish().describe(
    'Has a model judge the results that did not pass, once, in its own report. It changes no score. Null or left out ' +
      'for none, unless the team judges such runs by itself.',
  ),
});
export type RunInput = z.infer<typeof RunInput>;

export const RunLabels = z.strictObject({ name: runName, note: runNote }).meta({
  id: 'RunLabels',
  description: 'The name and note of a run. Fields that are left out stay; null removes one.',
});
export type RunLabels = z.infer<typeof RunLabels>;

/** The prompt that a run uses instead of the texts of its suite. */
export type PromptOfRun = Pick<RunInput, 'base_prompt' | 'tool_overrides' | 'prompt_version_id'>;
/** The prompt of a run that uses the texts of its suite. */
export const PROMPT_OF_SUITE: PromptOfRun = { base_prompt: null, tool_overrides: {}, prompt_version_id: null };

/**
 * The settings of a run as they are stored: the submitted ones with defaults filled in. Runs of earlier releases have
 * no prompt of their own.
 */
export type RunConfig = Omit<
  RunInput,
  | keyof (RunLabels & PromptOfRun)
  | ('suite_id' | 'models' | 'experiment_id' | 'metrics' | 'cache' | 'max_tokens' | 'prompt_cache')
> &
  Partial<PromptOfRun & Pick<RunInput, 'prompt_cache'>> & {
    metrics: RunMetric[];
    cache: z.infer<typeof CacheMode>;
    max_tokens: number | null;
  };
/** The settings of a run whose replies were recorded elsewhere. Null marks settings unknown for such a run. */
export type RecordedConfig = Pick<RunConfig, 'samples' | 'metrics' | 'params' | 'model_order' | 'budget' | 'cache'> & {
  recorded: true;
  temperature: null;
  tool_choice: null;
  max_tokens: null;
  timeout_s: null;
  system_prompt: null;
  case_filter: null;
} & { [Setting in keyof PromptOfRun]?: undefined };
