import type { Provider } from '#lib/contracts/provider';
import { certificateWarning, keyInWords } from '#lib/contracts/provider-words';
import { priceColumns } from './price-columns.js';
import { table } from './table.js';

/** Providers, one per line. Servers of earlier releases send neither headers nor certificates. */
export const providerTable = (providers: readonly Provider[]): string[] =>
  table([
    ['provider', 'kind', 'address', 'key', 'also sent', 'models', 'requests/min', 'tokens/min', 'concurrent'],
    ...providers.map((provider) => {
      const { key, kind, base_url: url, api_key_set: isSet, api_key_last4: last4, api_key_ref: ref } = provider;
      const { requests_per_minute: requests, tokens_per_minute: tokens, max_concurrency: atOnce } = provider.limits;
      return [
        ...[key, kind, url, ref ?? (isSet ? `...${last4 ?? ''}` : '-'), alsoSent(provider)],
        ...[provider.models.length, requests ?? '-', tokens ?? '-', atOnce].map(String),
      ];
    }),
  ]);

function alsoSent({ headers = [], client_certificate: certificate }: Provider): string {
  const parts = [
    ...(headers.length > 0 ? [headers.length === 1 ? '1 header' : `${headers.length} headers`] : []),
    ...(certificate ? ['certificate'] : []),
  ];
  return parts.join(', ') || '-';
}

/** What is sent to a provider, its limits and its models. */
export function providerLines(provider: Provider, now = Date.now()): string[] {
  const { key, name, kind, base_url: url, headers = [], client_certificate: certificate, limits, models } = provider;
  const { learned = [], shares_limits_with: sharing = [] } = provider;
  const perMinute = (limit: number | null, what: string): string[] => (limit === null ? [] : [`${limit} ${what}/min`]);
  return [
    ...table([
      ['provider', name === key ? key : `${key}: ${name}`],
      ['address', url],
      ['format', kind],
      ['key', keyInWords(provider)],
      ...headers.map((header, index) => [index === 0 ? 'headers' : '', `${header.name} (${header.kind})`]),
      ...(certificate ? certificateRows(certificate, now) : []),
      [
        'limits',
        [
          `${limits.max_concurrency} concurrent`,
          ...perMinute(limits.requests_per_minute, 'requests'),
          ...perMinute(limits.tokens_per_minute, 'tokens'),
        ].join(', '),
      ],
      ...(sharing.length > 0 ? [['shared with', sharing.join(', ')]] : []),
    ]),
    '',
    ...(models.length === 0
      ? [`No models. Find them: toolmark models ${key} --discover`]
      : modelTable(models.map((model) => ({ ...model, provider_key: key, learned: refusalsOf(model.id, learned) })))),
  ];
}

const certificateRows = (certificate: NonNullable<Provider['client_certificate']>, now: number): string[][] => [
  ['certificate', certificate.subject],
  ['', `issued by ${certificate.issuer}`],
  ['', [`valid until ${certificate.expires_at}`, certificateWarning(certificate, now)].filter(Boolean).join(', ')],
];

export const refusalsOf = (id: string, learned: Provider['learned']): ListedModel['learned'] =>
  learned.flatMap(({ model, ...one }) => (id === model ? [one] : []));

export type ListedModel = Provider['models'][number] & {
  provider_key: string;
  learned: { setting: string; sent: string }[];
};

export function modelTable(models: readonly ListedModel[]): string[] {
  const { headings, cellsOf } = priceColumns(models);
  return table([
    ['model', ...headings, 'refused parameters'],
    ...models.map((model) => [
      `${model.provider_key}::${model.id}`,
      ...cellsOf(model),
      [...model.unsupported_params, ...model.learned.map(({ setting, sent }) => `${setting} (${sent})`)].join(', '),
    ]),
  ]);
}
