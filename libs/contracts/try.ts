import { z } from 'zod';
import { named, namedInput } from './named.js';
import { CaseInput } from './case.js';
import { ConversationDefaults } from './conversation.js';
import { MaxTokens } from './max-tokens.js';
import { MetricAsked } from './metric.js';
import { suiteId } from './page.js';
import { ResultWithExchange } from './result.js';
import { ERROR_KINDS, MAX_TRIED_MODELS } from './values/runs.js';
import { RunInput, TargetInput } from './run-input.js';
import { SuiteInput } from './suite.js';

/** Seconds. */
const TRY_DEADLINE = { min: 1, max: 150, default: 90 };

const { temperature, tool_choice, timeout_s, params, system_prompt } = RunInput.shape;

export const TryInput = namedInput('TryInput', 'A case to try with some models, at once.', {
  case: CaseInput.describe('The case. It need not be stored, and may differ from the stored one.'),
  suite_id: suiteId
    .nullable()
    .default(null)
    .describe('The suite whose tools, system prompt and pass threshold are used where the request gives none.'),
  tools: SuiteInput.shape.tools
    .optional()
    .describe("The tools that models are offered, in place of the suite's. A case may bring its own."),
  conversation: ConversationDefaults.nullish()
    .describe("What conversations begin with, in place of the suite's; null for nothing, left out for the suite's.")
    .meta({
      example: {
        state: { orders: { '17': { status: 'packed' } } },
        tools: {
          cancel_order: [{ effects: [{ op: 'replace', path: '/orders/{order_id}/status', value: 'cancelled' }] }],
        },
      },
    }),
  base_prompt: RunInput.shape.base_prompt,
  pass_threshold: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe("The overall score from which the case passes; null for the suite's, or 1 without a suite."),
  models: z
    .array(TargetInput)
    .min(1)
    .max(MAX_TRIED_MODELS)
    .describe('The models to ask, each once, all at the same time.'),
  ...{ temperature, tool_choice },
  max_tokens: MaxTokens.default(null).meta(MaxTokens.meta()!),
  ...{ timeout_s, params, system_prompt },
  metrics: z.array(MetricAsked).max(20).default([]).meta(RunInput.shape.metrics.meta()!),
  deadline_s: z
    .number()
    .min(TRY_DEADLINE.min)
    .max(TRY_DEADLINE.max)
    .default(TRY_DEADLINE.default)
    .describe('Seconds until the answer. Requests that are not answered by then are aborted.'),
});
export type TryInput = z.infer<typeof TryInput>;

export const TryResult = ResultWithExchange.omit({
  id: true,
  seq: true,
  case_id: true,
  case_name: true,
  prompt: true,
  category: true,
  tags: true,
  source: true,
  sample: true,
  scoring_version: true,
  cached: true,
  settled_at: true,
  difference: true,
  unmatched: true,
  note: true,
})
  .extend({
    error: z
      .object({
        kind: z
          .enum([...ERROR_KINDS, 'unanswered'])
          .describe(
            'What went wrong between Toolmark and the model, after all retries; `unanswered` where there was no ' +
              'answer by the deadline, or the budget of the team ended before.',
          ),
        message: z.string().describe('What went wrong, in a sentence. Keys are masked.'),
      })
      .nullable()
      .describe('Why there is no reply; null when there is one.'),
    exchange: ResultWithExchange.shape.exchange.describe(
      'The requests and replies; null, as `said` is empty, when nothing was sent, and when they have more than ' +
        '256 KiB.',
    ),
  })
  .meta({ id: 'TryResult', description: 'The result of one model for a case that is tried.' });
export type TryResult = z.infer<typeof TryResult>;

export const Try = named('Try', 'A case that was tried. Only its cost is stored.', {
  results: z.array(TryResult).describe('One for each model, in the order of the request.'),
  cost_usd: z
    .number()
    .nullable()
    .describe('What the answers cost in US dollars; null when a model that answered has no prices.'),
  warnings: z
    .array(z.string())
    .describe(
      'What differs from the request, tools that were converted, and expected arguments that no valid call can have.',
    ),
});
export type Try = z.infer<typeof Try>;
