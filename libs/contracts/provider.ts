import { z } from 'zod';
import { named, namedInput } from './named.js';
import { RESERVED_REPLY_TOKENS } from './estimate.js';
import { time } from './page.js';
import { Params } from './params.js';
import { PROVIDER_KINDS } from './values/providers.js';

const TOKENS_PER_MINUTE =
  'Tokens per minute, of requests and replies together; null for no limit. Until a reply arrives, it counts as ' +
  `${RESERVED_REPLY_TOKENS} tokens, or as max_tokens where these are fewer.`;

export const Limits = namedInput('Limits', 'Limits for requests. All workers share them.', {
  requests_per_minute: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .default(null)
    .describe('Requests per minute; null for no limit.'),
  tokens_per_minute: z.int().min(1).max(10_000_000_000).nullable().default(null).describe(TOKENS_PER_MINUTE),
  max_concurrency: z.int().min(1).max(10_000).default(8).describe('The maximum number of concurrent requests.'),
});
export type Limits = z.infer<typeof Limits>;

const usdPerMtok = z.number().nonnegative().max(1_000_000).nullable().default(null);
const cachePrice = (tokens: string) =>
  usdPerMtok.describe(`US dollars per million tokens of requests ${tokens}; null for \`input_cost_per_mtok\`.`);

export const ModelInput = namedInput('ModelInput', 'A model of a provider.', {
  id: z.string().min(1).max(200).describe('The id of the model at the provider.'),
  name: z.string().min(1).max(200).optional().describe('The display name of the model. Defaults to its id.'),
  input_cost_per_mtok: usdPerMtok.describe(
    'US dollars per million tokens of requests; null when unknown. Unknown prices are not counted.',
  ),
  output_cost_per_mtok: usdPerMtok.describe(
    'US dollars per million tokens of replies; null when unknown. Unknown prices are not counted.',
  ),
  cache_read_cost_per_mtok: cachePrice('read from the cache of the provider'),
  cache_write_5m_cost_per_mtok: cachePrice('written to the cache of the provider for five minutes'),
  cache_write_1h_cost_per_mtok: cachePrice('written to the cache of the provider for an hour'),
  unsupported_params: z
    .array(z.string().min(1).max(100))
    .max(50)
    .default([])
    .describe('Parameters that the model rejects, such as `temperature`. They are not sent to it.'),
  default_params: Params.default({}).describe(
    `${Params.description} Those of a run and of its targets take precedence.`,
  ),
  limits: Limits.nullable()
    .default(null)
    .describe("Limits of this model, which give it its own lane; null when it shares the provider's."),
});
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
const apiKeyRef = z
  .string()
  .max(1000)
  .regex(
    /^(file:\/[^\0\r\n]+|env:[A-Za-z_][A-Za-z0-9_]*)$/,
    'must be file:/path or env:NAME, as the operator listed it',
  );
const API_KEY_REF =
  'A key that the operator keeps outside of Toolmark, in place of `api_key`: `file:/path` or `env:NAME`, one of ' +
  'those that your team may use.';

export const HeaderKind = z
  .enum(['secret', 'routing'])
  .describe(
    '`secret`: only the name counts for limits and for the reply cache. `routing`: the value leads to another ' +
      'endpoint, account or model, so providers with different values share neither limits nor replies.',
  );
const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header, such as X-Team')
  .describe('The name of the header. Lists and the audit show it.');
const headerValue = z
  .string()
  .max(4096)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be visible ASCII characters, without blanks at its ends');
const MAX_HEADERS = 20;

/** @public The API documents it by name. */
export const ProviderHeaderInput = namedInput('ProviderHeaderInput', 'A header to send with each request.', {
  name: headerName,
  kind: HeaderKind.default('secret'),
  value: headerValue.describe('The value, encrypted at rest and never returned.'),
});
/** @public The API documents it by name. */
export const ProviderHeaderPatch = namedInput('ProviderHeaderPatch', 'A header to send with each request.', {
  name: headerName,
  kind: HeaderKind.optional().describe('Left out: as stored, or `secret` for a new one.'),
  value: headerValue.optional().describe('Left out: the stored value of the header with this name.'),
});
export type ProviderHeaderPatch = z.infer<typeof ProviderHeaderPatch>;

const pem = z.string().min(1).max(65_536);
export const ClientCertificateInput = namedInput(
  'ClientCertificateInput',
  'A certificate that proves to the endpoint who is asking (mutual TLS).',
  {
    certificate: pem.describe('The certificate as PEM, followed by the chain to its authority where one is needed.'),
    private_key: pem.describe('Its private key as PEM, encrypted at rest and never returned.'),
    passphrase: z.string().max(1000).optional().describe('The passphrase of the private key. It is not stored.'),
  },
);
export type ClientCertificateInput = z.infer<typeof ClientCertificateInput>;
const CLIENT_CERTIFICATE = 'A client certificate, for endpoints that demand mutual TLS; null for none.';

function formatOf(kind: unknown): string | undefined {
  const plain =
    typeof kind === 'string'
      ? kind
          .slice(0, 100)
          .toLowerCase()
          .replace(/[^a-z0-9]/g, '')
      : '';
  const [format] = Object.entries(PROVIDER_KINDS).find(([, { hosts }]) => hosts.includes(plain)) ?? [];
  return format && `is the format of requests, not the name of a host: ${JSON.stringify(kind)} speaks "${format}"`;
}

export const ProviderKind = z
  .enum(Object.keys(PROVIDER_KINDS) as (keyof typeof PROVIDER_KINDS)[], { error: ({ input }) => formatOf(input) })
  .describe(
    "The request format of the provider: OpenAI's chat completions and anything compatible with " +
      "them, OpenAI's Responses, Anthropic's Messages, or Google's Gemini.",
  );
export type ProviderKind = z.infer<typeof ProviderKind>;

export const ProviderInput = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lower-case letters, digits, "-" and "_", at most 63')
      .describe(
        'The name of the provider in paths and in `provider_key::model_id`, unique in the team. It cannot be changed.',
      ),
    name: z.string().min(1).max(200).optional().describe('The display name of the provider. Defaults to its key.'),
    kind: ProviderKind.default('openai'),
    base_url: baseUrl.describe(
      'The address of the API, usually up to `/v1`. Paths such as `/chat/completions` are appended.',
    ),
    api_key: apiKey
      .nullable()
      .default(null)
      .describe('The API key, encrypted at rest and never returned; null for an endpoint without a key.'),
    api_key_ref: apiKeyRef.nullable().default(null).describe(API_KEY_REF),
    headers: z
      .array(ProviderHeaderInput)
      .max(MAX_HEADERS)
      .default([])
      .describe('Headers to send with each request, such as those that a gateway wants.'),
    client_certificate: ClientCertificateInput.nullable().default(null).describe(CLIENT_CERTIFICATE),
    limits: Limits.prefault({}).describe(
      'Limits of the provider as a whole, apart from models with limits of their own.',
    ),
    models: z
      .array(ModelOrId)
      .max(1000)
      .default([])
      .describe(
        'The models that runs can name. A model may be just its id, as a string. `GET ' +
          '/api/providers/{key}/discover` lists the available ones.',
      ),
  })
  .meta({ id: 'ProviderInput', description: 'A new provider: an endpoint, its key, its limits and its models.' });
export type ProviderInput = z.infer<typeof ProviderInput>;

export const ProviderPatch = z
  .strictObject({
    name: z.string().min(1).max(200).optional().describe('The display name of the provider.'),
    kind: ProviderKind.optional().describe(
      'Another request format, usually with another `base_url`. Toolmark forgets what it learned ' +
        'about the models in the old format.',
    ),
    base_url: baseUrl
      .optional()
      .describe(
        'Another address. At another origin key, headers and client certificate are not kept: give them with it.',
      ),
    api_key: apiKey.nullable().optional().describe('Another API key; null removes it. It ends `api_key_ref`.'),
    api_key_ref: apiKeyRef.nullable().optional().describe(`${API_KEY_REF} It ends \`api_key\`; null removes it.`),
    headers: z
      .array(ProviderHeaderPatch)
      .max(MAX_HEADERS)
      .optional()
      .describe(
        'The whole list of headers; those left out are removed. A header without a value keeps the stored one. At ' +
          'another origin, values have to be given again.',
      ),
    client_certificate: ClientCertificateInput.nullable()
      .optional()
      .describe('Another client certificate; null removes it. At another origin it is not kept.'),
    limits: z
      .strictObject({
        requests_per_minute: z
          .int()
          .min(1)
          .max(10_000_000)
          .nullable()
          .optional()
          .describe('Requests per minute; null for no limit.'),
        tokens_per_minute: z.int().min(1).max(10_000_000_000).nullable().optional().describe(TOKENS_PER_MINUTE),
        max_concurrency: z.int().min(1).max(10_000).optional().describe('The maximum number of concurrent requests.'),
      })
      .optional()
      .describe('The limits to change. The others stay.'),
    models: z.array(ModelOrId).max(1000).optional().describe('The whole list of models; those left out are removed.'),
  })
  .meta({
    id: 'ProviderPatch',
    description:
      'The settings of a provider to change. Fields that are left out stay. Runs under way continue ' +
      'with the new settings.',
  });
export type ProviderPatch = z.infer<typeof ProviderPatch>;

const setting = z
  .string()
  .describe(
    'A parameter, `tool_choice`, `strict` of tools, or `messages.<field>`: a field of earlier replies in a chain.',
  );
const sent = z
  .string()
  .describe(
    'How it is sent instead: `left out`, `auto`, `auto while thinking`, `max_completion_tokens`, `max_tokens`, ' +
      '`at most <n>` or `sent back`.',
  );
const said = z.string().describe("The host's message, shortened.");
/** @public The API documents it by name. */
export const LearnedSetting = named('LearnedSetting', 'A setting that a model refused recently.', {
  model: z.string().describe('The id of the model.'),
  setting,
  sent,
  said,
  until: time.describe('When it is forgotten, and the setting is sent unchanged again.'),
});

export const ProviderQuery = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The id of one of its models.', example: 'gpt-4o-mini' }),
});

export const ClientCertificate = named('ClientCertificate', 'What a client certificate says about itself.', {
  subject: z.string().describe('Whom it names.'),
  issuer: z.string().describe('Its authority.'),
  expires_at: time.describe('When it ends.'),
  sha256: z.string().describe('The SHA-256 of the certificate, in hexadecimal digits.'),
});
export type ClientCertificate = z.infer<typeof ClientCertificate>;

export const KeyReferences = z
  .object({
    items: z
      .array(
        z.object({
          ref: z.string().describe('For `api_key_ref`: `file:/path` or `env:NAME`.'),
          origins: z
            .array(z.string())
            .nullable()
            .describe('The origins that the key may be sent to, such as `https://api.openai.com`; null for any.'),
        }),
      )
      .describe('All that the operator lets your team use.'),
  })
  .meta({ id: 'KeyReferences', description: 'Keys that the operator keeps outside of Toolmark, by name.' });
export type KeyReferences = z.infer<typeof KeyReferences>;

export const Provider = named('Provider', 'An endpoint with its limits and its models.', {
  key: z.string().describe('The name of the provider in paths and in `provider_key::model_id`, unique in the team.'),
  name: z.string().describe('The display name of the provider.'),
  kind: z.string().describe('The request format: `openai`, `openai-responses`, `anthropic` or `google`.'),
  base_url: z.string().describe('The address of the API.'),
  api_key_set: z.boolean().describe('Whether the provider has a key. The key itself is never returned.'),
  api_key_last4: z
    .string()
    .nullable()
    .describe('The last four characters of the key; null when there is none, or when it has fewer than 12 characters.'),
  api_key_ref: z
    .string()
    .nullable()
    .describe('The key that the operator keeps outside of Toolmark, `file:/path` or `env:NAME`; null for none.'),
  headers: z
    .array(z.object({ name: z.string().describe('The name of the header.'), kind: HeaderKind }))
    .describe('The headers that are sent with each request. Their values are never returned.'),
  client_certificate: ClientCertificate.nullable().describe('The client certificate; null for none.'),
  limits: Limits.describe('Limits of the provider as a whole, apart from models with limits of their own.'),
  models: z
    .array(ModelInput.extend({ name: z.string().describe('The display name of the model.') }))
    .describe('The models that runs can name.'),
  learned: z
    .array(LearnedSetting)
    .describe(
      'What its models refused within the last day, and how it is sent instead. `POST .../test` tries it again, and ' +
        '`DELETE .../learned` forgets it.',
    ),
  shares_limits_with: z
    .array(z.string())
    .describe(
      'Keys of other providers with the same API key and headers at the same origin. They share one set of limits, ' +
        'the strictest, and a pause that the host requests of one applies to all.',
    ),
  created_at: time.describe('When the provider was created.'),
  updated_at: time.describe('When it was last changed.'),
});
export type Provider = z.infer<typeof Provider>;

export const ProviderTest = named('ProviderTest', 'The outcome of a small request to a model of a provider.', {
  ok: z.boolean().describe('Whether the model answered.'),
  latency_ms: z.int().describe('How long it took, in milliseconds.'),
  error: z
    .string()
    .nullable()
    .describe('The error of the provider, or why it could not be reached; null when the model answered.'),
  learned: z
    .array(z.object({ setting, sent, said }))
    .describe('Default settings of a run that the model refuses, and how they are sent instead.'),
});
export const DiscoveredModels = z
  .object({
    models: z
      .array(
        z.object({
          id: z.string().describe('The id of the model, for `models` of the provider.'),
        }),
      )
      .describe('The models, in the order of the endpoint.'),
  })
  .meta({
    id: 'DiscoveredModels',
    description: 'The models that an endpoint lists. None of them is added to the provider.',
  });

export const ProviderTemplate = named('ProviderTemplate', 'A common host, as a starting point for a provider.', {
  key: z.string().describe('A suggested `key` for the provider.'),
  name: z.string().describe('The name of the host.'),
  kind: ProviderKind,
  base_url: z.string().describe('The address of the API. Replace the parts in braces.'),
  needs_key: z.boolean().describe('Whether the host needs an API key.'),
  unsupported_params: z.array(z.string()).describe('For `unsupported_params` of the models.'),
  quirks: z.array(z.string()).describe('What you should know before a run.'),
  docs: z.string().describe("The page of the host's documentation that the template comes from."),
  unverified: z.array(z.string()).describe("What the host's documentation leaves open."),
});
export type ProviderTemplate = z.infer<typeof ProviderTemplate>;
export const ProviderTemplates = z.object({
  items: z.array(ProviderTemplate).describe('All templates.'),
});
