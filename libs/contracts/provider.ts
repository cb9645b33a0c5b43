import { z } from 'zod';
import { time } from './page.js';
import { Params } from './params.js';

/** null: no limit. */
export const Limits = z
  .strictObject({
    requests_per_minute: z.int().min(1).max(10_000_000).nullable().default(null),
    tokens_per_minute: z.int().min(1).max(10_000_000_000).nullable().default(null),
    max_concurrency: z.int().min(1).max(10_000).default(8),
  })
  .meta({ id: 'Limits' });
export type Limits = z.infer<typeof Limits>;

export const ModelInput = z
  .strictObject({
    id: z.string().min(1).max(200),
    name: z.string().min(1).max(200).optional(),
    input_cost_per_mtok: z.number().nonnegative().nullable().default(null),
    output_cost_per_mtok: z.number().nonnegative().nullable().default(null),
    unsupported_params: z.array(z.string().min(1).max(100)).max(50).default([]),
    default_params: Params.default({}),
    /** Limits of its own make the model a lane of its own. */
    limits: Limits.nullable().default(null),
  })
  .meta({ id: 'ModelInput' });
export type ModelInput = z.infer<typeof ModelInput>;
/** A model of which nothing but its id is said may be written as that. */
const ModelOrId = z.preprocess((model) => (typeof model === 'string' ? { id: model } : model), ModelInput);

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://api.openai.com/v1' })
  .max(2000)
  .regex(/^[^?#]*$/, 'must have no "?" and no "#": paths such as /chat/completions are appended to it');
// What an HTTP header can carry: a line break pasted along with a key would fail every request.
const apiKey = z.string().trim().regex(/^[\x21-\x7e]{1,2000}$/, 'must be 1 to 2000 visible ASCII characters without blanks');
/** Hosts and servers by the format that they speak, in small letters and digits. */
const SPEAK: Record<string, readonly string[]> = {
  openai: [
    'ollama', 'lmstudio', 'vllm', 'azure', 'azureopenai', 'openrouter', 'groq', 'mistral', 'mistralai', 'together', 'togetherai', 'fireworks', 'fireworksai', 'deepseek',
    'litellm', 'cerebras', 'llamacpp', 'llamafile', 'localai', 'sglang', 'tgi', 'huggingface', 'perplexity', 'nvidia', 'nim', 'openaicompatible', 'openaichat', 'chatgpt',
  ],
  'openai-responses': ['responses', 'xai', 'grok'],
  anthropic: ['claude'],
  google: ['gemini', 'googlegemini', 'googleai', 'googlegenai'],
};

function formatOf(kind: unknown): string | undefined {
  const plain = typeof kind === 'string' ? kind.slice(0, 100).toLowerCase().replace(/[^a-z0-9]/g, '') : '';
  const [format] = Object.entries(SPEAK).find(([, names]) => names.includes(plain)) ?? [];
  return format && `is the format of requests, not the name of a host: ${JSON.stringify(kind)} speaks "${format}". GET /api/providers/templates lists common hosts`;
}

/** The format that a provider speaks: OpenAI's chat completions, its Responses, Anthropic's Messages, Google's Gemini. */
export const ProviderKind = z.enum(['openai', 'openai-responses', 'anthropic', 'google'], { error: ({ input }) => formatOf(input) });
export type ProviderKind = z.infer<typeof ProviderKind>;

export const ProviderInput = z
  .strictObject({
    key: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lower-case letters, digits, "-" and "_", at most 63'),
    name: z.string().min(1).max(200).optional(),
    kind: ProviderKind.default('openai'),
    base_url: baseUrl,
    api_key: apiKey.nullable().default(null),
    limits: Limits.prefault({}),
    models: z.array(ModelOrId).max(1000).default([]),
  })
  .meta({ id: 'ProviderInput' });
export type ProviderInput = z.infer<typeof ProviderInput>;

export const ProviderPatch = z
  .strictObject({
    name: z.string().min(1).max(200).optional(),
    /** Mostly with another `base_url`. What was learned about the models in the old format is forgotten. */
    kind: ProviderKind.optional(),
    base_url: baseUrl.optional(),
    api_key: apiKey.nullable().optional(),
    /** Only the limits that are named change. */
    limits: z
      .strictObject({
        requests_per_minute: z.int().min(1).max(10_000_000).nullable().optional(),
        tokens_per_minute: z.int().min(1).max(10_000_000_000).nullable().optional(),
        max_concurrency: z.int().min(1).max(10_000).optional(),
      })
      .optional(),
    /** The whole list of models; those left out are removed. */
    models: z.array(ModelOrId).max(1000).optional(),
  })
  .meta({ id: 'ProviderPatch' });
export type ProviderPatch = z.infer<typeof ProviderPatch>;

export const Provider = z
  .object({
    key: z.string(),
    name: z.string(),
    kind: z.string(),
    base_url: z.string(),
    api_key_set: z.boolean(),
    /** Of keys of 12 characters or more. */
    api_key_last4: z.string().nullable(),
    limits: Limits,
    models: z.array(ModelInput.extend({ name: z.string() })),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Provider' });
export type Provider = z.infer<typeof Provider>;

export const ProviderTest = z.object({ ok: z.boolean(), latency_ms: z.int(), error: z.string().nullable() });
export const DiscoveredModels = z.object({ models: z.array(z.object({ id: z.string() })) });

/** A common host, to start a provider from. */
export const ProviderTemplate = z
  .object({
    key: z.string(),
    name: z.string(),
    kind: ProviderKind,
    /** What stands in braces is yours to fill in. */
    base_url: z.string(),
    needs_key: z.boolean(),
    /** For the models' `unsupported_params`. */
    unsupported_params: z.array(z.string()),
    /** What is worth knowing before a run. */
    quirks: z.array(z.string()),
    docs: z.string(),
    /** What the host's documentation did not settle. */
    unverified: z.array(z.string()),
  })
  .meta({ id: 'ProviderTemplate' });
export type ProviderTemplate = z.infer<typeof ProviderTemplate>;
export const ProviderTemplates = z.object({ items: z.array(ProviderTemplate) });
