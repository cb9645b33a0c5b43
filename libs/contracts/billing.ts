import { z } from 'zod';

/** Token counts by what the cache did with them. */
export const TokenCounts = z.object({
  prompt_tokens: z.int().meta({ description: "Tokens of all requests, those of the provider's cache among them." }),
  completion_tokens: z.int().meta({ description: 'Tokens of all replies, their reasoning among them.' }),
  cache_read_tokens: z.int().meta({ description: "Tokens of requests that the provider's cache answered." }),
  cache_write_5m_tokens: z
    .int()
    .meta({ description: "Tokens of requests that the provider's cache keeps for five minutes." }),
  cache_write_1h_tokens: z
    .int()
    .meta({ description: "Tokens of requests that the provider's cache keeps for an hour." }),
  reasoning_tokens: z.int().meta({ description: 'Tokens of reasoning, as far as providers tell them apart.' }),
});

export const TargetUsage = TokenCounts.extend({
  cache_hit_rate: z.number().nullable().meta({
    description: "The share of the tokens of requests that the provider's cache answered, 0..1; null without any.",
  }),
}).meta({
  id: 'TargetUsage',
  description:
    'Tokens of the requests that were made for results so far, where the provider counted them. Runs of earlier ' +
    'releases have none.',
});
export type TargetUsage = z.infer<typeof TargetUsage>;

export const CurrentCost = z
  .object({
    cost_usd: z.number().nullable().meta({ description: 'US dollars; null where no cost is known.' }),
    targets: z
      .array(
        z.object({
          target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
          billed_usd: z.number().meta({ description: 'US dollars as they were billed, where that is known.' }),
          cost_usd: z
            .number()
            .nullable()
            .meta({ description: 'US dollars by the prices that the model has now; null where it has none.' }),
          by: z.enum(['prices', 'provider']).meta({
            description:
              "`prices`: by today's prices, for every result whose tokens were counted; the others keep what they " +
              'cost. `provider`: the provider said what it billed, which no price changes.',
          }),
        }),
      )
      .meta({ description: 'The same for each model, in the order of the run.' }),
  })
  .meta({
    id: 'CurrentCost',
    description: "What a run would have cost by today's prices. Budgets, caps and spending go by what was billed.",
  });
export type CurrentCost = z.infer<typeof CurrentCost>;

export const PricesQuery = z.strictObject({
  prices: z.literal('current').optional().meta({
    description: 'Also says what the run would have cost by the prices that its models have now.',
    example: 'current',
  }),
});
export type PricesQuery = z.infer<typeof PricesQuery>;
