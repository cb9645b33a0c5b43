import { z } from 'zod';

/** Token counts by what the cache did with them. */
export const TokenCounts = z.object({
  prompt_tokens: z.int().describe("Tokens of all requests, including those read from the provider's cache."),
  completion_tokens: z.int().describe('Tokens of all replies, including reasoning.'),
  cache_read_tokens: z.int().describe("Tokens of requests read from the provider's cache."),
  cache_write_5m_tokens: z.int().describe("Tokens of requests written to the provider's cache for five minutes."),
  cache_write_1h_tokens: z.int().describe("Tokens of requests written to the provider's cache for an hour."),
  reasoning_tokens: z.int().describe('Reasoning tokens, where providers report them.'),
});

export const TargetUsage = TokenCounts.extend({
  cache_hit_rate: z
    .number()
    .nullable()
    .describe("The share of request tokens read from the provider's cache, 0..1; null without any."),
}).meta({
  id: 'TargetUsage',
  description:
    'Tokens of the requests that were made for results so far, where the provider counted them. Runs of earlier ' +
    'releases have none.',
});
export type TargetUsage = z.infer<typeof TargetUsage>;

export const CurrentCost = z
  .object({
    cost_usd: z.number().nullable().describe('US dollars; null where no cost is known.'),
    targets: z
      .array(
        z.object({
          target: z.string().describe('The model, as `provider_key::model_id`.'),
          billed_usd: z.number().describe('The billed amount in US dollars, where it is known.'),
          cost_usd: z
            .number()
            .nullable()
            .describe('US dollars by the prices that the model has now; null where it has none.'),
          by: z
            .enum(['prices', 'provider'])
            .describe(
              "`prices`: by today's prices, for every result whose tokens were counted; the others keep what they " +
                'cost. `provider`: the provider reported what it billed, so prices do not apply.',
            ),
        }),
      )
      .describe('The same for each model, in the order of the run.'),
  })
  .meta({
    id: 'CurrentCost',
    description: "What a run would cost at today's prices. Budgets, caps and spending use the billed amounts.",
  });
export type CurrentCost = z.infer<typeof CurrentCost>;

export const PricesQuery = z.strictObject({
  prices: z.literal('current').optional().meta({
    description: "Adds what the run would cost at its models' current prices.",
    example: 'current',
  }),
});
export type PricesQuery = z.infer<typeof PricesQuery>;
