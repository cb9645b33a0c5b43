import { z } from 'zod';
import { named } from './named.js';

/**
 * Upper bound of the tokens that a tokens-per-minute limit reserves for a reply. The actual count is known once the
 * reply has arrived.
 */
export const RESERVED_REPLY_TOKENS = 128;

/** The expected usage of a run. Requests answered by stored replies are counted in `cached` and in no other field. */
const Expected = z.object({
  requests: z.int().describe('Requests to models.'),
  cached: z
    .int()
    .describe('Requests that stored replies answer. They are not counted in `requests`, and cost nothing.'),
  prompt_tokens: z.int().describe('Tokens of the requests.'),
  completion_tokens: z.int().describe('Tokens of the replies.'),
  cost_usd: z.number().nullable().describe('US dollars; null when a model has no prices.'),
  duration_s: z
    .number()
    .describe(
      'Seconds from start to finish. An estimate takes into account the limits of the providers and ' +
        'their current load.',
    ),
});
const range = z.tuple([z.number(), z.number()]);
/**
 * A conversation takes as many requests as its model wants, and each has all that was said before it.
 * @public The API documents it by name.
 */
export const EstimateRange = named(
  'EstimateRange',
  'The least and the most: each conversation takes one request for each turn of its user, or all of its rounds.',
  {
    requests: range.describe('Requests to models.'),
    prompt_tokens: range.describe('Tokens of the requests.'),
    completion_tokens: range.describe('Tokens of the replies.'),
    cost_usd: range.nullable().describe('US dollars; null when a model has no prices.'),
  },
);
export type EstimateRange = z.infer<typeof EstimateRange>;
const ranged = EstimateRange.optional()
  .describe('Between what the figures may be. Left out for a run without conversations.')
  .meta({
    example: {
      requests: [12, 60],
      prompt_tokens: [9000, 70000],
      completion_tokens: [900, 5000],
      cost_usd: [0.01, 0.08],
    },
  });

export const Estimate = Expected.extend({
  range: ranged,
  targets: z
    .array(
      Expected.extend({
        target: z.string().describe('The model, as `provider_key::model_id`.'),
        range: ranged,
        tokens_by: z.string().describe('The tokenizer or the rule that counted the prompts.'),
        cache_hit_rate: z
          .number()
          .optional()
          .describe(
            "The share of request tokens assumed to be read from the provider's cache, 0..1, as in the last run of " +
              'the model with the same `prompt_cache`, among its last 20. Left out in estimates of earlier releases.',
          ),
        replies_by: z
          .enum(['earlier runs', 'rule'])
          .describe(
            'The source of the lengths and latencies of replies: earlier runs with this model, or 64 ' +
              'tokens and 2 seconds each.',
          ),
      }),
    )
    .describe('The same figures for each model.'),
  counted_cases: z
    .int()
    .describe('Cases whose prompts were counted. The estimate assumes that the others are like them.'),
  cases: z.int().describe('Cases that would run.'),
  assumptions: z
    .array(z.string())
    .optional()
    .describe('What the figures assume, in sentences. Left out in estimates of earlier releases.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      'Parts of the tools that the hosts of the models refuse, or get in another form. Left out in ' +
        'estimates of earlier releases.',
    ),
}).meta({ id: 'Estimate', description: 'The expected usage of a run.' });
export type Estimate = z.infer<typeof Estimate>;
export const Actual = Expected.extend({
  cost_usd: z.number().nullable().describe('US dollars; null when a model that replied has no prices.'),
  known_cost_usd: z
    .number()
    .describe('The part of the cost that is known, in US dollars: all of it, unless a model has no prices.'),
}).meta({
  id: 'Actual',
  description: 'The actual usage of a run, with the fields of its estimate.',
});
export type Actual = z.infer<typeof Actual>;
