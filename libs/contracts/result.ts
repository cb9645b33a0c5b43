import { z } from 'zod';
import { CallDifference } from './call-difference.js';
import { PlayedRound } from './conversation-played.js';
import { described, named } from './named.js';
import { flag, id, PageQuery, severalOf, time } from './page.js';
import { ResultNote } from './result-note.js';
import { ErrorKind, ToolChoice } from './run-input.js';
import { Run } from './run.js';
import { jsonObject } from './tool.js';
import { CallSyntax, ErrorType, Evidence, Expectation, FormatCompliance, ParsedCall } from './verdict.js';
import { MISSED_FIGURES } from './values/conversations.js';
import { RESULT_ORDERS } from './values/runs.js';

const partOfTokens = (what: string) =>
  z.int().nullable().describe(`${what}; null when the provider did not count them.`);

export const Result = named('Result', 'The outcome of one case, one model and one sample.', {
  id: z
    .string()
    .describe(
      'The id of the result, unique in its run. It is made of the target, the case and the sample; ' +
        'treat it as opaque.',
    ),
  seq: z
    .int()
    .describe('The number of the result in the log of the job that settled it. Results are listed in this order.'),
  target: z.string().describe('The model that was asked, as `provider_key::model_id`.'),
  case_id: id.describe('The id of the case, in the suite version of the run.'),
  case_name: z.string().nullable().describe('The name of the case; null when it has none.'),
  prompt: z.string().describe('The prompt of the case, or the last user message of its conversation.'),
  category: z.string().nullable().describe('The category of the case; null when it has none.'),
  tags: z.array(z.string()).describe('The tags of the case.'),
  source: z
    .string()
    .nullable()
    .describe('The origin of the case, such as the trace that it was imported from; null when it has none.'),
  sample: z.int().describe('The repetition of the case, from 0.'),
  outcome: z
    .enum(['scored', 'errored'])
    .describe(
      'Whether a model answered (`scored`, even if the reply is wrong), or the request failed after ' +
        'all retries (`errored`).',
    ),
  passed: z
    .boolean()
    .describe(
      'Whether the case passed: its overall score reaches the pass threshold, and no rule of the case is broken.',
    ),
  tool_score: z
    .number()
    .nullable()
    .describe(
      'Whether the right tool was called, 0 or 1. With several expected calls, the share of them ' +
        'that was made. Null when errored, and for a conversation whose goal names no calls.',
    ),
  param_score: z
    .number()
    .nullable()
    .describe('Share of the expected arguments that are right, 0..1; null when none are expected, or errored.'),
  overall: z
    .number()
    .nullable()
    .describe(
      '0.6 * tool_score + 0.4 * param_score, or the tool score alone where no arguments are ' +
        'expected, 0..1. For a conversation, the mean of the parts of its goal. Null when errored.',
    ),
  error_type: ErrorType,
  format_compliance: FormatCompliance.nullable().describe(
    'How the reply made its calls: in the format of the API (`native`), in a form that had to be ' +
      'repaired (`repaired`), unreadably (`malformed`), or not at all (`none`). Null when errored.',
  ),
  syntax: CallSyntax.nullable().describe(
    'How calls are written that the host left in the text of the reply, as in `evidence`; null when it left ' +
      'none, and in verdicts of earlier releases.',
  ),
  expected: Expectation,
  called: z
    .array(ParsedCall)
    .describe('The calls of the reply. For a chain, those up to the first call of the expected tool.'),
  evidence: Evidence.nullable().describe('The evidence for the verdict; null when errored.'),
  difference: CallDifference.nullable().describe(
    'Where the reply first differs from what is expected; null when it passed or is errored, and where the evidence ' +
      'is not read or is larger than 16 KiB in a list with `lean`.',
  ),
  metrics: z
    .record(z.string(), jsonObject)
    .describe(
      "The scores of the run's further metrics, by name, and the figures of a conversation (`conversation.state`, " +
        '...): `score` (null where it does not apply), and fields of their own. `config.metrics` of the run has the ' +
        'metric, version and options of each name.',
    ),
  scoring_version: z
    .int()
    .describe(
      'The version of the scoring that made this verdict. It rises whenever a reply could score ' +
        'differently than before.',
    ),
  latency_ms: z
    .int()
    .nullable()
    .describe(
      'Milliseconds that the last attempt took, without the wait for its turn. For a chain, the sum ' +
        'over its rounds. Null when a stored reply answered, or nothing was sent.',
    ),
  usage: described('Tokens, as the provider counted them. For a chain, the sum over its rounds.', {
    prompt_tokens: z.int().nullable().describe('Tokens of the request; null when the provider did not count them.'),
    completion_tokens: z.int().nullable().describe('Tokens of the reply; null when the provider did not count them.'),
    cache_read_tokens: partOfTokens("Tokens of the request read from the provider's cache"),
    cache_write_5m_tokens: partOfTokens("Tokens of the request written to the provider's cache for five minutes"),
    cache_write_1h_tokens: partOfTokens("Tokens of the request written to the provider's cache for an hour"),
    reasoning_tokens: partOfTokens('Reasoning tokens of the reply'),
  }),
  cost_usd: z
    .number()
    .nullable()
    .describe(
      "The billed amount in US dollars: as the provider reports it, or else at the model's prices at the time. " +
        'Null when it has none, or the provider counted nothing. 0 when a stored reply answered.',
    ),
  cost_reported: z.boolean().describe('Whether the provider reported the billed amount.'),
  cached: z.boolean().describe('Whether a stored reply answered.'),
  attempts: z.int().describe('Requests for this item, including retries; 0 when a stored reply answered.'),
  unmatched: z
    .boolean()
    .describe(
      'Whether a rescore with another version of the suite leaves it out. Then `expected` is that of the run, ' +
        "the result has no verdict, and `outcome` is `errored`. False in the run's own results.",
    ),
  error: z
    .object({
      kind: ErrorKind,
      message: z.string().describe('What went wrong, in a sentence. Keys are masked.'),
    })
    .nullable()
    .describe('Why there is no reply; null when there is one.'),
  tool_choice_used: ToolChoice.nullable().describe(
    "The `tool_choice` that was sent, which may differ from the run's; null when nothing was sent.",
  ),
  settled_at: time.describe('When the result was stored.'),
  note: ResultNote.nullable().describe('What the team noted on the result; null for nothing.'),
});
export type Result = z.infer<typeof Result>;

const CUT = 'Beyond 20,000 characters it ends in "..." and its length.';
export const ReplyText = named('ReplyText', 'What a model said in one reply.', {
  text: z.string().nullable().describe(`The text, without thoughts; null when there is none. ${CUT}`),
  thoughts: z
    .string()
    .nullable()
    .describe(`The thoughts, which are never read for calls; null when there are none. ${CUT}`),
  refusal: z.string().nullable().describe(`The refusal; null when the model did not decline. ${CUT}`),
  finish_reason: z
    .string()
    .nullable()
    .describe(
      "Why it ended, in OpenAI's terms (`stop`, `tool_calls`, `length`, `content_filter`) where they have one; " +
        'null when the provider does not say.',
    ),
});
export type ReplyText = z.infer<typeof ReplyText>;

export const ResultWithExchange = Result.extend({
  explanation: z.array(z.string()).describe('The verdict, in plain sentences.'),
  said: z
    .array(ReplyText)
    .describe(
      'What the model said, one entry for each round. Empty when it is errored, when its replies are no longer ' +
        'stored, and when its exchange has more than a million values or 24 MiB.',
    ),
  conversation: jsonObject
    .optional()
    .describe(
      'The conversation of the case with what it takes from its suite: `state`, `tools`, `max_rounds`, `user`, ' +
        '`goal`. Left out for other cases.',
    )
    .meta({ example: { goal: { state: { '/orders/17/status': 'cancelled' } } } }),
  exchange: z
    .object({
      requests: z
        .array(z.unknown())
        .describe(
          'The bodies of the requests, one for each attempt or round that differs. An exchange above 1 ' +
            'MiB has them as they are stored, without the parts that the requests have in common.',
        ),
      replies: z
        .array(z.unknown())
        .describe(
          'The bodies of the responses as they came. A failed request is an `error` with the body of the response in ' +
            '`body`; what a private address answered is in `private_body`, which only owners of the team see.',
        ),
      rounds: z
        .array(z.int())
        .optional()
        .describe('Which of `replies`, from 0, are those to the rounds of a chain. Left out for other cases.'),
      conversation: z
        .array(PlayedRound)
        .optional()
        .describe('What followed each reply of a conversation, in their order. Left out for other cases.')
        .meta({
          example: [
            {
              calls: [
                {
                  name: 'get_order',
                  arguments: { order_id: '17' },
                  answer: '{"status":"packed"}',
                  is_error: false,
                  rule: 0,
                  changes: [],
                },
              ],
              user: null,
            },
          ],
        }),
      refused: z
        .int()
        .optional()
        .describe('How many requests were refused; `replies` holds at most twenty of them. Left out when none was.'),
      names: z
        .record(z.string(), z.string())
        .optional()
        .describe(
          "The suite's names of tools, by the names that were sent instead. Left out where the provider " +
            'accepts the names unchanged.',
        ),
      adjusted: z
        .record(z.string(), z.string())
        .optional()
        .describe(
          'Settings that the model refuses, and how they were sent instead: `{"max_tokens": "max_completion_tokens", ' +
            '"temperature": "left out"}`. Left out when it took the request as the run has it.',
        ),
    })
    .nullable()
    .describe('The requests and replies; null when nothing was sent, or when they are no longer stored.'),
}).meta({ id: 'ResultWithExchange', description: 'One result with its requests and replies.' });
export type ResultWithExchange = z.infer<typeof ResultWithExchange>;

export const RunExport = named('RunExport', 'A run with all its results.', {
  run: Run.describe('The run.'),
  results: z.array(Result).describe('All results of the run, in the order they were settled.'),
});

const toolLabels = severalOf(z.string().min(1).max(1000));
const milliseconds = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .optional();
const score = z.coerce.number().min(0).max(1).optional();

const filters = {
  model: severalOf(z.string().max(300)).meta({
    description: "Only results of this model: `provider_key::model_id`, or the model's id; repeat it for several.",
    example: ['simulator::perfect-ish'],
  }),
  case_id: id.optional().meta({
    description: 'Only results of this case: all its models and samples.',
    example: '019aa8a2-5c1e-7000-8000-000000000021',
  }),
  outcome: z.enum(['scored', 'errored']).optional().describe('Only results with this outcome.'),
  error_type: severalOf(ErrorType).meta({
    description: 'Only results with this error type; repeat it for several.',
    example: ['wrong_argument'],
  }),
  category: severalOf(z.string().max(200)).meta({
    description: 'Only results of cases of this category; repeat it for several.',
    example: ['current'],
  }),
  format: severalOf(FormatCompliance).meta({
    description: 'Only results with this `format_compliance`; repeat it for several.',
    example: ['repaired'],
  }),
  syntax: severalOf(CallSyntax).meta({
    description:
      'Only results whose host left calls in the text in this syntax; `thoughts`: only the thoughts hold a call. ' +
      'Repeat it for several.',
    example: ['hermes'],
  }),
  missed: severalOf(z.enum(MISSED_FIGURES)).meta({
    description:
      'Only conversations that fell short by this figure: below 1, or above 0 for `conversation.fabricated`. Repeat ' +
      'it for several.',
    example: ['conversation.state'],
  }),
  tag: severalOf(z.string().max(100)).meta({
    description: 'Only results of cases with this tag; repeat it for cases with any of several.',
    example: ['enum'],
  }),
  expected_tool: toolLabels.meta({
    description:
      'Only results of cases that expect this tool, or expect it first; `(none)` for cases that expect no call, ' +
      '`(any)` for conversations whose goal does not say what is called. Repeat it for several.',
    example: ['get_weather'],
  }),
  called_tool: toolLabels.meta({
    description:
      'Only results whose first call, or the one that answers what is expected, is of this tool; `(none)` for ' +
      'replies without a call, `(unknown)` for tools that neither the suite has nor the case expects. Repeat it for ' +
      'several.',
    example: ['get_weather'],
  }),
  passed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only results that passed (`true`) or did not pass (`false`).'),
  noted: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only results with a note (`true`) or without one (`false`).'),
  latency_min_ms: milliseconds.meta({
    description: 'Only results that took at least this many milliseconds.',
    example: 500,
  }),
  latency_max_ms: milliseconds.meta({
    description: 'Only results that took at most this many milliseconds.',
    example: 1000,
  }),
  overall_min: score.meta({ description: 'Only results whose overall score is at least this, 0..1.', example: 0.5 }),
  overall_max: score.meta({ description: 'Only results whose overall score is at most this, 0..1.', example: 0.9 }),
  rescore_id: id.optional().meta({
    description: "The verdicts of this rescore instead of the run's own.",
    example: '019aa8a2-5c1e-7000-8000-000000000081',
  }),
};

export const ResultOrder = z
  .enum(RESULT_ORDERS)
  .describe(
    'The order: as they were settled; what did not pass first, by error type, model and case, with errored results ' +
      'last, then the rest by model and case (`failures`); or by case, model and sample (`case`).',
  );
export type ResultOrder = z.infer<typeof ResultOrder>;

/** The filter and order of results. */
export const ResultsFilter = z.strictObject({ ...filters, order: ResultOrder.default('settled') });
export type ResultsFilter = z.infer<typeof ResultsFilter>;

export const ResultsQuery = z.strictObject({
  ...ResultsFilter.shape,
  ...PageQuery.shape,
  id: severalOf(z.string().regex(/^\d{1,5}-\d{1,9}-\d{1,5}$/, 'is not an id of a result')).meta({
    description:
      'Only these results, in the order of their ids here and on one page; `order`, `limit` and `cursor` do not ' +
      'apply. Repeat it for several.',
    example: ['0-4-0'],
  }),
  lean: flag.describe(
    'Without `evidence`, `metrics`, `tags` and `source`, with the first 200 characters of the prompt, and with ' +
      'long arguments cut. It keeps `difference`.',
  ),
});
export type ResultsQuery = z.infer<typeof ResultsQuery>;

const neighbour = z.string().nullable();
export const ResultNeighbours = z
  .object({
    previous: neighbour.describe('The result before this one; null when there is none.'),
    next: neighbour.describe('The result after it.'),
    previous_failure: neighbour.describe('The nearest result before it that did not pass.'),
    next_failure: neighbour.describe('The nearest result after it that did not pass.'),
  })
  .meta({
    id: 'ResultNeighbours',
    description:
      'The ids of the neighbours of a result, by the requested filter and order. Null where there is none among ' +
      'the 20,000 results on that side.',
  });
export type ResultNeighbours = z.infer<typeof ResultNeighbours>;
