import { z } from 'zod';
import { named, namedInput } from './named.js';

/** Limits for a price table. */
const MAX_KNOWN_MODELS = 20_000;
const MAX_PRICE = 1e6;

const price = z.number().min(0).max(MAX_PRICE);
const cachePrice = (tokens: string) =>
  price
    .nullable()
    .default(null)
    .describe(`US dollars per million tokens of requests ${tokens}; null for \`input_cost_per_mtok\`.`);
const modelId = z.string().min(1).max(200);

export const KnownModel = namedInput('KnownModel', 'What a host bills for a model.', {
  id: modelId.describe('The id of the model at the host.'),
  aliases: z.array(modelId).max(20).default([]).describe('Its other ids, with the same prices.'),
  dated: z
    .boolean()
    .default(false)
    .describe('Whether the id with a date after it, `-2025-08-07` or `-20250807`, has the same prices.'),
  latest: z.boolean().default(false).describe('Whether the id with `-latest` after it has the same prices.'),
  input_cost_per_mtok: price.describe('US dollars per million tokens of requests.'),
  output_cost_per_mtok: price.describe('US dollars per million tokens of replies.'),
  cache_read_cost_per_mtok: cachePrice('read from the cache of the host'),
  cache_write_5m_cost_per_mtok: cachePrice('written to the cache of the host for five minutes'),
  cache_write_1h_cost_per_mtok: cachePrice('written to the cache of the host for an hour'),
  note: z
    .string()
    .min(1)
    .max(300)
    .nullable()
    .default(null)
    .describe('When the host bills something else, in a sentence; null when that is unknown.'),
});
export type KnownModel = z.infer<typeof KnownModel>;

/** @public The API documents it by name. */
export const KnownHost = namedInput('KnownHost', 'A host and the prices of its models.', {
  host: z
    .string()
    .max(260)
    .regex(/^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?$/, 'must be the host of an address, such as api.openai.com')
    .describe('The host in the address of a provider, with its port unless that is the usual one.'),
  docs: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(2000)
    .describe('The page where the host publishes its prices.'),
  models: z.array(KnownModel).max(MAX_KNOWN_MODELS).describe('Its models whose prices are known.'),
});

/** The file format of a price table. */
export const PriceTable = z
  .strictObject({
    as_of: z.iso
      .date({ error: 'must be a date, such as 2026-11-17' })
      .describe('The day of the newest source of the table. Hosts may have changed prices since.'),
    hosts: z.array(KnownHost).max(1000).describe('The hosts of the table.'),
  })
  .superRefine(({ hosts }, context) => {
    const total = hosts.reduce((sum, { models }) => sum + models.length, 0);
    if (total > MAX_KNOWN_MODELS)
      context.addIssue({ code: 'custom', path: ['hosts'], message: `must have at most ${MAX_KNOWN_MODELS} models` });
    refuseDuplicates(hosts, ({ host }) => [host], ['hosts'], context);
    hosts.forEach(({ models }, index) =>
      refuseDuplicates(models, ({ id, aliases }) => [id, ...aliases], ['hosts', index, 'models'], context),
    );
  });
export type PriceTable = z.infer<typeof PriceTable>;

/** A duplicate name would have two prices, with nothing to choose between them. */
function refuseDuplicates<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => string[],
  path: PropertyKey[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries())
    for (const name of namesOf(item)) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [...path, index], message: `names ${JSON.stringify(name)} again` });
      seen.add(name);
    }
}

export const KnownPrices = named('KnownPrices', 'What common hosts bill for their models, where it is known.', {
  as_of: PriceTable.shape.as_of,
  source: z
    .enum(['built in', 'file'])
    .describe('`built in`: the table of this release; `file`: that of `TOOLMARK_PRICES_FILE`.'),
  hosts: PriceTable.shape.hosts,
});
export type KnownPrices = z.infer<typeof KnownPrices>;
