import { z } from 'zod';
import { Conversation } from './conversation.js';
import { named, namedInput } from './named.js';
import { ExpectedCall, ScoringConfig, ScoringMode } from './scoring-config.js';
import { MAX_TOOLS } from './values/suites.js';
import { jsonObject, toolList, Tool, ToolName } from './tool.js';

/** @public The API documents it by name. */
export const Message = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']).describe('The author of the message.'),
    content: z.unknown().optional().describe('The content of the message: a text, or a list of parts such as images.'),
  })
  .meta({
    id: 'Message',
    description:
      "One message of a conversation, in the format of OpenAI's chat completions. It is passed on " +
      'unchanged, with `tool_calls` and all other fields.',
  });

const text = z.string().max(50_000);

/** The fields of a case as a user writes them. `checkCase` in libs/scoring checks the rules between fields. */
export const CaseInput = namedInput('CaseInput', 'A case: a request to a model, and the call that would be right.', {
  name: z.string().max(200).nullish().describe('The name of the case in results. Null or left out for none.'),
  category: z
    .string()
    .max(200)
    .nullish()
    .describe('The group of the case. Summaries have figures for each group. Null or left out for none.'),
  tags: z
    .array(z.string().min(1).max(100))
    .max(50)
    .optional()
    .describe('Words by which a run can select cases (`case_filter`).'),
  prompt: text.min(1).optional().describe("The user's message to the model. Give either this or `messages`."),
  messages: z.array(Message).min(1).max(500).optional().describe('A conversation, instead of `prompt`.'),
  expected_tool: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(MAX_TOOLS), z.null()])
    .optional()
    .describe(
      'The name of the tool that the model should call, a list of acceptable ones, or null if it should call none.',
    ),
  expected_params: jsonObject
    .nullish()
    .describe(
      'The expected arguments: values, or matchers such as `{"$one_of": [...]}`, `{"$regex": ...}`, `{"$optional": ' +
        '...}`. The call may have other arguments, too. If left out or null, arguments are not compared.',
    ),
  param_scoring: ScoringMode.optional().describe(
    'How expected values are compared with those of the call. Defaults to `exact`. `scoring_config` takes precedence.',
  ),
  scoring_config: ScoringConfig.nullish().describe(
    'How expected values are compared, for single arguments if needed. If null or left out, ' +
      '`param_scoring` applies to all of them.',
  ),
  should_call_tool: z
    .boolean()
    .optional()
    .describe('False means the same as an `expected_tool` of null: the model should call no tool.'),
  expected_calls: z
    .array(ExpectedCall)
    .max(100)
    .optional()
    .describe(
      'Several expected calls, instead of `expected_tool` and `expected_params`. An empty list means ' +
        'that the model should call no tool.',
    ),
  call_order: z
    .enum(['any', 'strict'])
    .optional()
    .describe(
      'Whether the model may make `expected_calls` in any order (`any`, the default) or only in this one (`strict`).',
    ),
  allow_extra_calls: z
    .boolean()
    .optional()
    .describe(
      'If false, a call that is not expected fails the case, though it does not lower the score. Defaults to true.',
    ),
  multi_turn: z
    .boolean()
    .optional()
    .describe(
      'Whether the case is a chain: `mock_responses` answer the calls until the model calls the expected tool.',
    ),
  max_rounds: z.int().min(1).max(50).optional().describe('How many requests a chain may take. Defaults to 5.'),
  optimal_hops: z
    .int()
    .min(1)
    .max(1000)
    .nullish()
    .describe(
      'The smallest number of calls that completes the chain, including the last one. More calls ' +
        'lower the score. If null or left out, the number of calls does not matter.',
    ),
  valid_prerequisites: z
    .array(z.string())
    .max(MAX_TOOLS)
    .nullish()
    .describe(
      'Tools that the model may call on the way. Each call of another tool costs 0.1. If null or ' +
        'left out, all tools are allowed.',
    ),
  mock_responses: jsonObject
    .nullish()
    .describe(
      'The responses of tools in a chain, by tool name: one response, a list of responses in turn, ' +
        'or `[{"when": ..., "respond": ...}]`. A tool without one responds with `{"status": "ok"}`.',
    ),
  conversation: Conversation.nullish()
    .describe(
      'A conversation with tools that have state, in place of `expected_tool`, `expected_calls`, `multi_turn` and ' +
        '`mock_responses`. Null or left out for none.',
    )
    .meta({ example: { goal: { state: { '/orders/17/status': 'cancelled' } } } }),
  tools: toolList(z.union([ToolName, Tool]))
    .optional()
    .describe(
      'The tools of this case: definitions, or names of tools of the suite. If left out, the case ' +
        'has all tools of the suite.',
    ),
  distractors: z
    .union([
      z.int().min(0).max(MAX_TOOLS).describe('How many other tools.'),
      z
        .strictObject({
          count: z.int().min(0).max(MAX_TOOLS).describe('How many other tools.'),
          seed: z
            .int()
            .min(0)
            .max(2 ** 32 - 1)
            .describe('The seed of the draw: the same seed draws the same tools.'),
        })
        .describe('How many other tools, and the seed of the draw.'),
    ])
    .optional()
    .describe(
      'How many other tools of the suite to offer in addition to those that the case needs. It shows how a long ' +
        'list affects selection. The draw uses seed 0 unless you give one. If left out, all tools are offered.',
    ),
  draft: z
    .literal(true)
    .optional()
    .describe('Marks a generated case that nobody has reviewed. Runs skip it until you remove this field.'),
  source: z
    .string()
    .max(500)
    .nullish()
    .describe(
      'The origin of the case, such as the trace and span that it was imported from. It is sent to ' +
        'no model. Null or left out if unknown.',
    ),
});
export type CaseInput = z.infer<typeof CaseInput>;

export const Case = CaseInput.extend({
  id: z.uuid().describe('The id of the case.'),
  position: z.int().describe('The position of the case in the suite, from 0. Cases are listed in this order.'),
}).meta({ id: 'Case', description: 'A case of a suite.' });
export type Case = z.infer<typeof Case>;

export const CaseNeighbours = named('CaseNeighbours', 'The cases around one, by position.', {
  previous_id: z.uuid().nullable().describe('The case before it; null for the first.'),
  next_id: z.uuid().nullable().describe('The case after it; null for the last.'),
});
export type CaseNeighbours = z.infer<typeof CaseNeighbours>;
