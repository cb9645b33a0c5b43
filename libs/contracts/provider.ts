import { z } from 'zod';
import { RESERVED_REPLY_TOKENS } from './estimate.js';
import { time } from './page.js';
import { Params } from './params.js';
import { PROVIDER_KINDS } from './values/providers.js';

const TOKENS_PER_MINUTE =
  'Tokens per minute, of requests and replies together; null for no limit. Until a reply arrives, it counts as ' +
  `${RESERVED_REPLY_TOKENS} tokens, or as max_tokens where these are fewer.`;

export const Limits = z
  .strictObject({
    requests_per_minute: z
      .int()
      .min(1)
      .max(10_000_000)
      .nullable()
      .default(null)
      .meta({ description: 'Requests per minute; null for no limit.' }),
    tokens_per_minute: z.int().min(1).max(10_000_000_000).nullable().default(null).meta({
      description: TOKENS_PER_MINUTE,
    }),
    max_concurrency: z
      .int()
      .min(1)
      .max(10_000)
      .default(8)
      .meta({ description: 'The maximum number of concurrent requests.' }),
  })
  .meta({ id: 'Limits', description: 'Limits for requests. All workers share them.' });
export type Limits = z.infer<typeof Limits>;

const usdPerMtok = z.number().nonnegative().max(1_000_000).nullable().default(null);
const cachePrice = (tokens: string) =>
  usdPerMtok.meta({
    description: `US dollars per million tokens of requests ${tokens}; null for \`input_cost_per_mtok\`.`,
  });

export const ModelInput = z
  .strictObject({
    id: z.string().min(1).max(200).meta({ description: 'The id of the model at the provider.' }),
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The display name of the model. Defaults to its id.' }),
    input_cost_per_mtok: usdPerMtok.meta({
      description: 'US dollars per million tokens of requests; null when unknown. Unknown prices are not counted.',
    }),
    output_cost_per_mtok: usdPerMtok.meta({
      description: 'US dollars per million tokens of replies; null when unknown. Unknown prices are not counted.',
    }),
    cache_read_cost_per_mtok: cachePrice('read from the cache of the provider'),
    cache_write_5m_cost_per_mtok: cachePrice('written to the cache of the provider for five minutes'),
    cache_write_1h_cost_per_mtok: cachePrice('written to the cache of the provider for an hour'),
    unsupported_params: z
      .array(z.string().min(1).max(100))
      .max(50)
      .default([])
      .meta({ description: 'Parameters that the model rejects, such as `temperature`. They are not sent to it.' }),
    default_params: Params.default({}).meta({
      description: `${Params.description} Those of a run and of its targets take precedence.`,
    }),
    limits: Limits.nullable().default(null).meta({
      description: "Limits of this model, which give it its own lane; null when it shares the provider's.",
    }),
  })
  .meta({ id: 'ModelInput', description: 'A model of a provider.' });
export type ModelInput = z.infer<typeof ModelInput>;
/** A model that has only an id may be written as that id. */
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
function formatOf(kind: unknown): string | undefined {
  const plain =
    typeof kind === 'string'
      ? kind
          .slice(0, 100)
          .toLowerCase()
          .replace(/[^a-z0-9]/g, '')
      : '';
  const [format] = Object.entries(PROVIDER_KINDS).find(([, { hosts }]) => hosts.includes(plain)) ?? [];
  return (
    format &&
    `is the format of requests, not the name of a host: ${JSON.stringify(kind)} speaks "${format}". ` +
      'GET /api/providers/templates lists common hosts'
  );
}

export const ProviderKind = z
  .enum(Object.keys(PROVIDER_KINDS) as (keyof typeof PROVIDER_KINDS)[], { error: ({ input }) => formatOf(input) })
  .meta({
    description:
      "The request format of the provider: OpenAI's chat completions and anything compatible with " +
      "them, OpenAI's Responses, Anthropic's Messages, or Google's Gemini.",
  });
export type ProviderKind = z.infer<typeof ProviderKind>;

export const ProviderInput = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lower-case letters, digits, "-" and "_", at most 63')
      .meta({
        description:
          'The name of the provider in paths and in `provider_key::model_id`, unique in the team. It ' +
          'cannot be changed.',
      }),
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The display name of the provider. Defaults to its key.' }),
    kind: ProviderKind.default('openai'),
    base_url: baseUrl.meta({
      description: 'The address of the API, usually up to `/v1`. Paths such as `/chat/completions` are appended.',
    }),
    api_key: apiKey
      .nullable()
      .default(null)
      .meta({ description: 'The API key, encrypted at rest and never returned; null for an endpoint without a key.' }),
    limits: Limits.prefault({}).meta({
      description: 'Limits of the provider as a whole, apart from models with limits of their own.',
    }),
    models: z
      .array(ModelOrId)
      .max(1000)
      .default([])
      .meta({
        description:
          'The models that runs can name. A model may be just its id, as a string. `GET ' +
          '/api/providers/{key}/discover` lists the available ones.',
      }),
  })
  .meta({ id: 'ProviderInput', description: 'A new provider: an endpoint, its key, its limits and its models.' });
export type ProviderInput = z.infer<typeof ProviderInput>;

export const ProviderPatch = z
  .strictObject({
    name: z.string().min(1).max(200).optional().meta({ description: 'The display name of the provider.' }),
    kind: ProviderKind.optional().meta({
      description:
        'Another request format, usually with another `base_url`. Toolmark forgets what it learned ' +
        'about the models in the old format.',
    }),
    base_url: baseUrl
      .optional()
      .meta({ description: 'Another address. At another origin the key is not kept: give `api_key` with it.' }),
    api_key: apiKey.nullable().optional().meta({ description: 'Another API key; null removes it.' }),
    limits: z
      .strictObject({
        requests_per_minute: z
          .int()
          .min(1)
          .max(10_000_000)
          .nullable()
          .optional()
          .meta({ description: 'Requests per minute; null for no limit.' }),
        tokens_per_minute: z.int().min(1).max(10_000_000_000).nullable().optional().meta({
          description: TOKENS_PER_MINUTE,
        }),
        max_concurrency: z
          .int()
          .min(1)
          .max(10_000)
          .optional()
          .meta({ description: 'The maximum number of concurrent requests.' }),
      })
      .optional()
      .meta({ description: 'The limits to change. The others stay.' }),
    models: z
      .array(ModelOrId)
      .max(1000)
      .optional()
      .meta({ description: 'The whole list of models; those left out are removed.' }),
  })
  .meta({
    id: 'ProviderPatch',
    description:
      'The settings of a provider to change. Fields that are left out stay. Runs under way continue ' +
      'with the new settings.',
  });
export type ProviderPatch = z.infer<typeof ProviderPatch>;

const setting = z.string().meta({
  description:
    'A parameter, `tool_choice`, `strict` of tools, or `messages.<field>`: a field of earlier replies in a chain.',
});
const sent = z.string().meta({
  description:
    'How it is sent instead: `left out`, `auto`, `auto while thinking`, `max_completion_tokens`, `max_tokens`, ' +
    '`at most <n>` or `sent back`.',
});
const said = z.string().meta({ description: "The host's message, shortened." });
export const LearnedSetting = z
  .object({
    model: z.string().meta({ description: 'The id of the model.' }),
    setting,
    sent,
    said,
    until: time.meta({ description: 'When it is forgotten, and the setting is sent unchanged again.' }),
  })
  .meta({ id: 'LearnedSetting', description: 'A setting that a model refused recently.' });

export const ProviderQuery = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The id of one of its models.', example: 'gpt-4o-mini' }),
});

export const Provider = z
  .object({
    key: z
      .string()
      .meta({ description: 'The name of the provider in paths and in `provider_key::model_id`, unique in the team.' }),
    name: z.string().meta({ description: 'The display name of the provider.' }),
    kind: z
      .string()
      .meta({ description: 'The request format: `openai`, `openai-responses`, `anthropic` or `google`.' }),
    base_url: z.string().meta({ description: 'The address of the API.' }),
    api_key_set: z.boolean().meta({ description: 'Whether the provider has a key. The key itself is never returned.' }),
    api_key_last4: z.string().nullable().meta({
      description:
        'The last four characters of the key; null when there is none, or when it has fewer than 12 characters.',
    }),
    limits: Limits.meta({
      description: 'Limits of the provider as a whole, apart from models with limits of their own.',
    }),
    models: z
      .array(ModelInput.extend({ name: z.string().meta({ description: 'The display name of the model.' }) }))
      .meta({ description: 'The models that runs can name.' }),
    learned: z.array(LearnedSetting).meta({
      description:
        'What its models refused within the last day, and how it is sent instead. `POST .../test` tries it again, and ' +
        '`DELETE .../learned` forgets it.',
    }),
    shares_limits_with: z.array(z.string()).meta({
      description:
        'Keys of other providers with the same API key at the same origin. They share one set of limits, ' +
        'the strictest, and a pause that the host requests of one applies to all.',
    }),
    created_at: time.meta({ description: 'When the provider was created.' }),
    updated_at: time.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Provider', description: 'An endpoint with its limits and its models.' });
export type Provider = z.infer<typeof Provider>;

export const ProviderTest = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the model answered.' }),
    latency_ms: z.int().meta({ description: 'How long it took, in milliseconds.' }),
    error: z.string().nullable().meta({
      description: 'The error of the provider, or why it could not be reached; null when the model answered.',
    }),
    learned: z
      .array(z.object({ setting, sent, said }))
      .meta({ description: 'Default settings of a run that the model refuses, and how they are sent instead.' }),
  })
  .meta({ id: 'ProviderTest', description: 'The outcome of a small request to a model of a provider.' });
export const DiscoveredModels = z
  .object({
    models: z
      .array(
        z.object({
          id: z.string().meta({ description: 'The id of the model, for `models` of the provider.' }),
        }),
      )
      .meta({ description: 'The models, in the order of the endpoint.' }),
  })
  .meta({
    id: 'DiscoveredModels',
    description: 'The models that an endpoint lists. None of them is added to the provider.',
  });

export const ProviderTemplate = z
  .object({
    key: z.string().meta({ description: 'A suggested `key` for the provider.' }),
    name: z.string().meta({ description: 'The name of the host.' }),
    kind: ProviderKind,
    base_url: z.string().meta({ description: 'The address of the API. Replace the parts in braces.' }),
    needs_key: z.boolean().meta({ description: 'Whether the host needs an API key.' }),
    unsupported_params: z.array(z.string()).meta({ description: 'For `unsupported_params` of the models.' }),
    quirks: z.array(z.string()).meta({ description: 'What you should know before a run.' }),
    docs: z.string().meta({ description: "The page of the host's documentation that the template comes from." }),
    unverified: z.array(z.string()).meta({ description: "What the host's documentation leaves open." }),
  })
  .meta({ id: 'ProviderTemplate', description: 'A common host, as a starting point for a provider.' });
export type ProviderTemplate = z.infer<typeof ProviderTemplate>;
export const ProviderTemplates = z.object({
  items: z.array(ProviderTemplate).meta({ description: 'All templates.' }),
});
