import { z } from 'zod';
import type { Json } from './json/json.js';
import { described } from './named.js';
import { jsonObject } from './tool.js';

const score = z.number().nullable();
const anyJson = z.unknown() as z.ZodType<Json>;

/** A change of the state, with all values in place of `$state` and `$argument`. */
const Change = described('One operation on the state.', {
  op: z
    .enum(['add', 'replace', 'test', 'remove', 'move', 'copy'])
    .describe('The operation of RFC 6902.')
    .meta({ example: 'replace' }),
  path: z.string().describe('Where, as a JSON Pointer.').meta({ example: '/orders/17/status' }),
  from: z.string().optional().describe('From where; only of `move` and `copy`.').meta({ example: '/orders/17' }),
  value: anyJson.optional().describe('The value; only of `add`, `replace` and `test`.').meta({ example: 'cancelled' }),
  was: anyJson
    .optional()
    .describe('What was there before; left out if there was nothing, or more than 1 KiB.')
    .meta({ example: 'packed' }),
});
export type Change = z.infer<typeof Change>;

/** A call of a conversation with its answer, as it was played. */
export const AnsweredCall = described('A call and its answer.', {
  name: z.string().describe('The name of the called tool, as the model wrote it.').meta({ example: 'get_order' }),
  arguments: jsonObject
    .nullable()
    .describe('The arguments; null when they could not be read.')
    .meta({ example: { order_id: '17' } }),
  answer: z.string().describe('What the model was answered.').meta({ example: '{"status":"packed"}' }),
  is_error: z.boolean().describe('Whether the answer is an error.').meta({ example: false }),
  rule: z
    .int()
    .nullable()
    .describe('The rule of the tool that answered, from 0; null when none did.')
    .meta({ example: 0 }),
  problem: z
    .enum(['unreadable', 'unknown_tool', 'invalid', 'no_rule', 'no_such_value', 'patch_failed'])
    .optional()
    .describe(
      'Why no rule answered, or why it failed: unreadable arguments, no such tool, arguments that break its schema, ' +
        'no rule that holds, a pointer into nothing, a patch that does not apply.',
    )
    .meta({ example: 'no_rule' }),
  changes: z
    .array(Change)
    .describe('What it changed in the state; empty for nothing.')
    .meta({ example: [{ op: 'replace', path: '/orders/17/status', value: 'cancelled', was: 'packed' }] }),
  fault: z
    .enum(['error', 'truncated', 'malformed'])
    .optional()
    .describe('The fault that the rule put into the answer.')
    .meta({ example: 'error' }),
  delay_ms: z
    .int()
    .optional()
    .describe("Milliseconds that the rule adds to the tool's latency.")
    .meta({ example: 300 }),
});
export type AnsweredCall = z.infer<typeof AnsweredCall>;

/** What follows a reply of a conversation: the answers to its calls, or what the user says; neither at the end. */
export const PlayedRound = described('What followed one reply of a conversation.', {
  calls: z
    .array(AnsweredCall)
    .describe('The calls of the reply, with their answers.')
    .meta({
      example: [
        {
          name: 'get_order',
          arguments: { order_id: '17' },
          answer: '{"status":"packed"}',
          is_error: false,
          rule: 0,
          changes: [],
        },
      ],
    }),
  user: z
    .string()
    .nullable()
    .describe('What the user said then; null for nothing.')
    .meta({ example: 'It was the wrong size.' }),
});
export type PlayedRound = z.infer<typeof PlayedRound>;

/** Why a conversation ended. */
export const ConversationEnd = z
  .enum(['answered', 'round_limit', 'cut_off', 'refused', 'refused_round', 'oversized'])
  .describe(
    'How the conversation ended: the model answered and the user had nothing more to say, its rounds ran out (or ' +
      'its calls, its answers or its state exceeded their limits), the last reply was cut off or refused, the ' +
      'host refused what the model wrote, or a reply was too large.',
  );
export type ConversationEnd = z.infer<typeof ConversationEnd>;

export const ConversationEvidence = described('What the goal of a conversation says, and how it was played.', {
  version: z.int().describe('The version of this score.'),
  calls: score.describe('How well the calls are those of the goal, 0..1; null when it names none.'),
  forbidden: score.describe('1 when no forbidden call was made, 0 when one was; null when none is forbidden.'),
  state: score.describe('The share of pointers of the goal that hold at the end, 0..1; null when it names none.'),
  answer: score.describe('The share of checks of the answer that hold, 0..1; null when there are none.'),
  efficiency: score.describe('Calls of the goal / calls that were made, at most 1; null when it names none.'),
  repeated_failures: z.int().describe('Calls that repeat one that was answered with an error: a loop.'),
  calls_after_goal: z.int().describe('Calls after the goal held.'),
  recovered: score.describe('After an error was answered: 1 when the goal was reached, 0 when not; null without one.'),
  fabricated: score.describe(
    '1 when the answers claim what the state does not hold: all positive checks of the answer hold, and the ' +
      "goal's state does not. Null when the goal lacks either.",
  ),
  rounds: z.int().describe('Replies of the model.'),
  tool_ms: z.int().describe('Milliseconds that the rules added to the latency of tools.'),
  end: ConversationEnd,
  forbidden_calls: z
    .array(
      z.object({
        called: z.int().describe('Index of the call in `called` of the result, from 0.').meta({ example: 2 }),
        forbidden: z.int().describe('Index in `forbidden_calls` of the goal, from 0.').meta({ example: 0 }),
      }),
    )
    .describe('The forbidden calls that were made.'),
  goal_state: z
    .array(
      z.object({
        pointer: z.string().describe('Where in the state, as a JSON Pointer.'),
        holds: z.boolean().describe('Whether it holds.'),
        expected: anyJson.optional().describe('The expected value or matcher.'),
        actual: anyJson.optional().describe('The value at the end; left out when there is none.'),
      }),
    )
    .describe('What the goal says of the state.'),
  goal_answer: z
    .array(
      z.object({
        check: z.int().describe('Index in `answer` of the goal, from 0.'),
        holds: z.boolean().describe('Whether it holds.'),
        note: z.string().optional().describe('Why, in a sentence.').meta({ example: 'No text of the model has it.' }),
      }),
    )
    .describe('What the goal says of the answers.'),
  failed_calls: z
    .array(
      z.object({
        called: z.int().describe('Index of the call in `called` of the result, from 0.').meta({ example: 2 }),
        problem: AnsweredCall.shape.problem
          .describe('Why it failed; left out when a rule answered with an error.')
          .meta({ example: 'no_rule' }),
        answer: z.string().describe('The error that the model was told; its first 500 characters.'),
      }),
    )
    .describe('Calls that were answered with an error, up to 100.'),
});
export type ConversationEvidence = z.infer<typeof ConversationEvidence>;
