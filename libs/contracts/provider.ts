import { z } from 'zod';
import { time } from './page.js';
import { Params } from './params.js';

export const Limits = z
  .strictObject({
    requests_per_minute: z
      .int()
      .min(1)
      .max(10_000_000)
      .nullable()
      .default(null)
      .meta({ description: 'Requests a minute; null for no limit.' }),
    tokens_per_minute: z
      .int()
      .min(1)
      .max(10_000_000_000)
      .nullable()
      .default(null)
      .meta({ description: 'Tokens a minute, of requests and replies together; null for no limit.' }),
    max_concurrency: z.int().min(1).max(10_000).default(8).meta({ description: 'Requests under way at once.' }),
  })
  .meta({ id: 'Limits', description: 'How much may be asked. All workers keep to it together.' });
export type Limits = z.infer<typeof Limits>;

export const ModelInput = z
  .strictObject({
    id: z.string().min(1).max(200).meta({ description: 'The id of the model, as the provider has it.' }),
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'What people call the model; its id when left out.' }),
    input_cost_per_mtok: z.number().nonnegative().nullable().default(null).meta({
      description: 'US dollars for a million tokens of requests; null when unknown: what it costs is then not counted.',
    }),
    output_cost_per_mtok: z.number().nonnegative().nullable().default(null).meta({
      description: 'US dollars for a million tokens of replies; null when unknown: what it costs is then not counted.',
    }),
    unsupported_params: z
      .array(z.string().min(1).max(100))
      .max(50)
      .default([])
      .meta({ description: 'Parameters that the model refuses, such as `temperature`: they are not sent to it.' }),
    default_params: Params.default({}).meta({
      description: `${Params.description} Those of a run and of its targets win.`,
    }),
    limits: Limits.nullable().default(null).meta({
      description: "Limits of its own, which make the model a lane of its own; null when it shares the provider's.",
    }),
  })
  .meta({ id: 'ModelInput', description: 'A model of a provider.' });
export type ModelInput = z.infer<typeof ModelInput>;
/** A model with nothing but an id may be written as that id. */
const ModelOrId = z.preprocess((model) => (typeof model === 'string' ? { id: model } : model), ModelInput);

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://api.openai.com/v1' })
  .max(2000)
  .regex(/^[^?#]*$/, 'must have no "?" and no "#": paths such as /chat/completions are appended to it');
// The characters that an HTTP header can carry. A line break pasted along with a key would fail every request.
const apiKey = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,2000}$/, 'must be 1 to 2000 visible ASCII characters without blanks');
/** Hosts and servers by the format that they speak, in lower-case letters and digits. */
const SPEAK: Record<string, readonly string[]> = {
  openai: [
    'ollama',
    'lmstudio',
    'vllm',
    'azure',
    'azureopenai',
    'openrouter',
    'groq',
    'mistral',
    'mistralai',
    'together',
    'togetherai',
    'fireworks',
    'fireworksai',
    'deepseek',
    'litellm',
    'cerebras',
    'llamacpp',
    'llamafile',
    'localai',
    'sglang',
    'tgi',
    'huggingface',
    'perplexity',
    'nvidia',
    'nim',
    'openaicompatible',
    'openaichat',
    'chatgpt',
  ],
  'openai-responses': ['responses', 'xai', 'grok'],
  anthropic: ['claude'],
  google: ['gemini', 'googlegemini', 'googleai', 'googlegenai'],
};

function formatOf(kind: unknown): string | undefined {
  const plain =
    typeof kind === 'string'
      ? kind
          .slice(0, 100)
          .toLowerCase()
          .replace(/[^a-z0-9]/g, '')
      : '';
  const [format] = Object.entries(SPEAK).find(([, names]) => names.includes(plain)) ?? [];
  return (
    format &&
    `is the format of requests, not the name of a host: ${JSON.stringify(kind)} speaks "${format}". ` +
      'GET /api/providers/templates lists common hosts'
  );
}

export const ProviderKind = z
  .enum(['openai', 'openai-responses', 'anthropic', 'google'], { error: ({ input }) => formatOf(input) })
  .meta({
    description:
      "The format that the provider speaks: OpenAI's chat completions and whatever is compatible " +
      "with them, OpenAI's Responses, Anthropic's Messages, or Google's Gemini.",
  });
export type ProviderKind = z.infer<typeof ProviderKind>;

export const ProviderInput = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lower-case letters, digits, "-" and "_", at most 63')
      .meta({
        description: 'Its name in paths and in `provider_key::model_id`, unique in the team; cannot be changed.',
      }),
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'What people call the provider; its key when left out.' }),
    kind: ProviderKind.default('openai'),
    base_url: baseUrl.meta({
      description: 'Where it is asked, most often up to `/v1`; paths such as `/chat/completions` are appended.',
    }),
    api_key: apiKey
      .nullable()
      .default(null)
      .meta({ description: 'Its key, sealed at rest and never answered; null for an endpoint without key.' }),
    limits: Limits.prefault({}).meta({
      description: 'How much may be asked in all, models with limits of their own aside.',
    }),
    models: z
      .array(ModelOrId)
      .max(1000)
      .default([])
      .meta({
        description:
          'The models that runs can name; one of which nothing else is said may be its id as a ' +
          'string. `GET /api/providers/{key}/discover` lists what there is.',
      }),
  })
  .meta({ id: 'ProviderInput', description: 'A new provider: an endpoint, its key, its limits and its models.' });
export type ProviderInput = z.infer<typeof ProviderInput>;

export const ProviderPatch = z
  .strictObject({
    name: z.string().min(1).max(200).optional().meta({ description: 'What people call the provider.' }),
    kind: ProviderKind.optional().meta({
      description:
        'Another format, mostly with another `base_url`. What was learned about the models in the ' +
        'old format is forgotten.',
    }),
    base_url: baseUrl
      .optional()
      .meta({ description: 'Another address. At another origin the key does not go along: give `api_key` with it.' }),
    api_key: apiKey.nullable().optional().meta({ description: 'Another key; null takes it away.' }),
    limits: z
      .strictObject({
        requests_per_minute: z
          .int()
          .min(1)
          .max(10_000_000)
          .nullable()
          .optional()
          .meta({ description: 'Requests a minute; null for no limit.' }),
        tokens_per_minute: z
          .int()
          .min(1)
          .max(10_000_000_000)
          .nullable()
          .optional()
          .meta({ description: 'Tokens a minute, of requests and replies together; null for no limit.' }),
        max_concurrency: z.int().min(1).max(10_000).optional().meta({ description: 'Requests under way at once.' }),
      })
      .optional()
      .meta({ description: 'Only the limits that are named change.' }),
    models: z
      .array(ModelOrId)
      .max(1000)
      .optional()
      .meta({ description: 'The whole list of models; those left out are removed.' }),
  })
  .meta({
    id: 'ProviderPatch',
    description: 'What changes of a provider; what is left out stays. Runs under way go on with it.',
  });
export type ProviderPatch = z.infer<typeof ProviderPatch>;

export const Provider = z
  .object({
    key: z.string().meta({ description: 'Its name in paths and in `provider_key::model_id`, unique in the team.' }),
    name: z.string().meta({ description: 'What people call the provider.' }),
    kind: z
      .string()
      .meta({ description: 'The format that it speaks: `openai`, `openai-responses`, `anthropic` or `google`.' }),
    base_url: z.string().meta({ description: 'Where it is asked.' }),
    api_key_set: z.boolean().meta({ description: 'Whether it has a key. The key itself is never answered.' }),
    api_key_last4: z.string().nullable().meta({
      description: 'The last four characters of its key; null when it has none, or one of less than 12 characters.',
    }),
    limits: Limits.meta({ description: 'How much may be asked in all, models with limits of their own aside.' }),
    models: z
      .array(ModelInput.extend({ name: z.string().meta({ description: 'What people call the model.' }) }))
      .meta({ description: 'The models that runs can name.' }),
    created_at: time.meta({ description: 'When the provider was made.' }),
    updated_at: time.meta({ description: 'When it was changed last.' }),
  })
  .meta({ id: 'Provider', description: 'An endpoint that is asked, with its limits and its models.' });
export type Provider = z.infer<typeof Provider>;

export const ProviderTest = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the model answered.' }),
    latency_ms: z.int().meta({ description: 'How long it took, in milliseconds.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'What the provider said instead, or why it could not be reached; null when it answered.' }),
  })
  .meta({ id: 'ProviderTest', description: 'What came of one small request to the first model of a provider.' });
export const DiscoveredModels = z
  .object({
    models: z
      .array(
        z.object({
          id: z.string().meta({ description: 'The id of the model, to be given in `models` of the provider.' }),
        }),
      )
      .meta({ description: 'In the order of the endpoint.' }),
  })
  .meta({
    id: 'DiscoveredModels',
    description: 'The models that an endpoint lists. None of them is added to the provider.',
  });

export const ProviderTemplate = z
  .object({
    key: z.string().meta({ description: 'A `key` for the provider.' }),
    name: z.string().meta({ description: 'What the host is called.' }),
    kind: ProviderKind,
    base_url: z.string().meta({ description: 'Its address. What stands in braces is yours to fill in.' }),
    needs_key: z.boolean().meta({ description: 'Whether the host asks for a key.' }),
    unsupported_params: z.array(z.string()).meta({ description: 'For `unsupported_params` of the models.' }),
    quirks: z.array(z.string()).meta({ description: 'What is worth knowing before a run.' }),
    docs: z.string().meta({ description: "The page of the host's documentation that this was taken from." }),
    unverified: z.array(z.string()).meta({ description: "What the host's documentation did not settle." }),
  })
  .meta({ id: 'ProviderTemplate', description: 'A common host, to start a provider from.' });
export type ProviderTemplate = z.infer<typeof ProviderTemplate>;
export const ProviderTemplates = z.object({
  items: z.array(ProviderTemplate).meta({ description: 'All templates that there are.' }),
});
