import { z } from 'zod';
import type { Json } from './json/json.js';
import { ExpectedCall, ScoringConfig } from './scoring-config.js';
import { described, namedInput } from './named.js';
import { jsonObject } from './tool.js';
import { CONVERSATION_BOUNDS } from './values/conversations.js';

const text = z.string().max(50_000);
const pointer = z
  .string()
  .max(2000)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'must be a JSON Pointer, such as "/orders/17/status", or "" for the whole state');
const anyJson = z.unknown() as z.ZodType<Json>;

/** @public The API documents it by name. */
export const PatchOperation = z
  .discriminatedUnion('op', [
    z.strictObject({
      op: z
        .enum(['add', 'replace', 'test'])
        .describe('Adds a value, replaces one, or tests that it is this one.')
        .meta({ examples: ['replace'] }),
      path: pointer.describe('Where, as a JSON Pointer. `-` at its end is the end of a list.'),
      value: anyJson.describe('The value.'),
    }),
    z.strictObject({
      op: z
        .literal('remove')
        .describe('Removes a value.')
        .meta({ examples: ['remove'] }),
      path: pointer.describe('Where, as a JSON Pointer.'),
    }),
    z.strictObject({
      op: z
        .enum(['move', 'copy'])
        .describe('Moves or copies a value.')
        .meta({ examples: ['copy'] }),
      from: pointer.describe('From where, as a JSON Pointer.').meta({ example: '/orders/17' }),
      path: pointer.describe('Where to, as a JSON Pointer.'),
    }),
  ])
  .meta({ id: 'PatchOperation', description: 'One operation of a JSON Patch (RFC 6902).' });
export type PatchOperation = z.infer<typeof PatchOperation>;
const Patch = z.array(PatchOperation).max(CONVERSATION_BOUNDS.operations);

/** @public The API documents it by name. */
export const ConversationRule = namedInput(
  'ConversationRule',
  'How a tool answers calls. The first rule of the tool whose `when` holds answers.',
  {
    when: z
      .strictObject({
        arguments: jsonObject
          .optional()
          .describe('Expected arguments: values or matchers. The call may have other arguments, too.'),
        scoring_config: ScoringConfig.optional()
          .describe('How the arguments are compared; not by meaning.')
          .meta({ example: { mode: 'contains' } }),
        state: z
          .record(pointer, anyJson)
          .optional()
          .describe('What the state holds before the call: values or matchers, by JSON Pointer.'),
        call: z.int().min(1).max(1000).optional().describe('Only the n-th call of the tool, from 1.'),
      })
      .optional()
      .describe('When the rule applies. If left out, it always does.'),
    effects: Patch.optional().describe(
      'How the call changes the state: a JSON Patch (RFC 6902), applied whole or not at all. Values may be ' +
        '`{"$argument": pointer}` and `{"$state": pointer}`, and pointers may have arguments as `{name}`.',
    ),
    respond: anyJson
      .optional()
      .describe(
        'The answer: any JSON, in which `{"$state": pointer}` is a value of the state after the call, ' +
          '`{"$argument": pointer}` one of the call, and `{name}` in texts an argument. If neither this nor `error` ' +
          'is given, the answer is `{"status": "ok"}`.',
      ),
    error: text.min(1).optional().describe('The answer is this error. It may have arguments, as `{name}`.'),
    truncate: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe('Cuts the answer after so many characters.')
      .meta({ example: 200 }),
    malformed: z
      .literal(true)
      .optional()
      .describe('Spoils the answer, so that it is not JSON.')
      .meta({ example: true }),
    delay_ms: z
      .int()
      .min(0)
      .max(3_600_000)
      .optional()
      .describe("Milliseconds that are added to the tool's latency. Nobody waits for them."),
  },
);
export type ConversationRule = z.infer<typeof ConversationRule>;

const Tools = z
  .record(z.string().min(1).max(64), z.array(ConversationRule).max(CONVERSATION_BOUNDS.rules))
  .describe('The rules of each tool, by its name.');
const shared = {
  state: anyJson
    .optional()
    .describe('What the tools read and change: any JSON, at most 256 KiB and 32 deep.')
    .meta({ example: { orders: { '17': { status: 'packed' } } } }),
  tools: Tools.optional(),
  max_rounds: z
    .int()
    .min(1)
    .max(CONVERSATION_BOUNDS.rounds)
    .optional()
    .describe('How many requests a conversation may take. Defaults to 12.'),
  validate: z
    .boolean()
    .optional()
    .describe('If false, calls are not checked against the schema of their tool before its rules are asked.')
    .meta({ example: false }),
};

/** What all conversations of a suite begin with. */
export const ConversationDefaults = namedInput(
  'ConversationDefaults',
  'What the conversations of a suite have in common. A case replaces tools by name, and patches the state.',
  shared,
);
export type ConversationDefaults = z.infer<typeof ConversationDefaults>;

const of = z
  .enum(['any', 'last'])
  .optional()
  .describe('`last` looks only at the last text of the model. By default, any text that no call follows counts.')
  .meta({ example: 'last' });
const oneOrSeveral = z.union([text.min(1), z.array(text.min(1)).min(1).max(100)]);

/** @public The API documents it by name. */
export const AnswerCheck = z
  .union([
    z.strictObject({
      contains: oneOrSeveral.describe(
        'A text that the answer contains, ignoring case, or several of which one is enough.',
      ),
      of,
    }),
    z.strictObject({ not_contains: oneOrSeveral.describe('Texts that no answer contains, ignoring case.'), of }),
    z.strictObject({
      regex: text.min(1).describe('A pattern (RE2) that is found in the answer.').meta({ example: 'order \\d+' }),
      of,
    }),
    z.strictObject({
      not_regex: text.min(1).describe('A pattern (RE2) that is found in no answer.').meta({ example: 'refund(ed)?' }),
      of,
    }),
    z.strictObject({
      equals: text.describe('The whole answer, ignoring case and blanks.').meta({ example: 'Done.' }),
      of,
    }),
    z.strictObject({
      number: z
        .number()
        .describe('A number that the answer has as a whole one: `$25` and `25.00`, not `250`.')
        .meta({ example: 25 }),
      epsilon: z
        .number()
        .nonnegative()
        .optional()
        .describe('The largest distance that counts as equal. Defaults to 0.')
        .meta({ example: 0.01 }),
      of,
    }),
    z.strictObject({
      quotes: z
        .union([
          pointer.describe('A JSON Pointer into the final state.'),
          z.strictObject({
            tool: z.string().min(1).describe('The tool.').meta({ example: 'get_order' }),
            pointer: pointer.describe('A JSON Pointer into its last answer.').meta({ example: '/total' }),
          }),
        ])
        .describe('A value that the answer quotes: of the final state, or of the last answer of a tool.')
        .meta({ example: '/orders/17/status' }),
      epsilon: z
        .number()
        .nonnegative()
        .optional()
        .describe('For a number: the largest distance that counts as equal.')
        .meta({ example: 0.01 }),
      of,
    }),
  ])
  .meta({ id: 'AnswerCheck', description: 'What the texts of the model should say, or should not.' });
export type AnswerCheck = z.infer<typeof AnswerCheck>;

const Goal = described(
  'What should have happened at the end. At least one of `calls`, `forbidden_calls`, `state` and `answer` is given.',
  {
    calls: z.array(ExpectedCall).max(100).optional().describe('The expected calls, of all rounds together.'),
    call_order: z
      .enum(['any', 'strict'])
      .optional()
      .describe('Whether `calls` may come in any order (`any`, the default) or only in this one (`strict`).'),
    forbidden_calls: z
      .array(ExpectedCall)
      .max(100)
      .optional()
      .describe('Calls that must not be made. One that is made fails the case, even if it is answered with an error.'),
    state: z
      .record(pointer, anyJson)
      .optional()
      .describe('What the state should hold at the end: values or matchers, by JSON Pointer.'),
    answer: z.array(AnswerCheck).max(100).optional().describe('What the texts of the model should say.'),
  },
).strict();

export const Conversation = namedInput(
  'Conversation',
  'A conversation with tools that have state. It takes the place of `expected_tool` and its like.',
  {
    ...shared,
    state_patch: Patch.optional().describe("A JSON Patch on the suite's state, in place of `state`."),
    user: z
      .strictObject({
        turns: z
          .array(text.min(1))
          .max(CONVERSATION_BOUNDS.turns)
          .describe('What the user says, one text each time the model answers without a call.'),
      })
      .optional()
      .describe(
        'The user after the prompt. The conversation ends at the first answer without a call after the last turn.',
      ),
    goal: Goal.describe('What should have happened at the end; at least one of its fields is given.'),
  },
);
export type Conversation = z.infer<typeof Conversation>;
