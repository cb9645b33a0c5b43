import { z } from 'zod';
import { ConversationEvidence } from './conversation-played.js';
import { described, named } from './named.js';
import { ScoringMode } from './scoring-config.js';
import { jsonObject } from './tool.js';
import { ERROR_TYPES, CALL_SYNTAXES, FORMATS } from './values/verdicts.js';

export const ErrorType = z
  .enum(ERROR_TYPES)
  .describe(
    'The first error that applies to the reply: `none` when nothing is wrong, `errored` when there is none. ' +
      "`refused`: the model declined, or its host's filter cut the reply. `cut_off`: the reply ended at its token " +
      'limit before its call was whole. Neither says what the model would have called.',
  );
export type ErrorType = z.infer<typeof ErrorType>;

export const FormatCompliance = z
  .enum(FORMATS)
  .describe(
    'How the reply made its calls: in the format of the API (`native`), in a form that had to be ' +
      'repaired (`repaired`), unreadably (`malformed`), or not at all (`none`).',
  );
export type FormatCompliance = z.infer<typeof FormatCompliance>;

export const CallSyntax = z
  .enum(CALL_SYNTAXES)
  .describe(
    'The syntax of calls that a host left in the text of the reply, by the family of models that uses it: the host ' +
      'is set up for another one. `thoughts`: only the thoughts hold a call, which does not count.',
  );
export type CallSyntax = z.infer<typeof CallSyntax>;

/** What a case expects, as results show it. */
export const Expectation = described('What the case expects.', {
  tool: z.unknown().describe('The expected tool, a list of acceptable ones, or null.'),
  params: z.unknown().describe('The expected arguments; null when arguments are not compared.'),
  calls: z.array(z.unknown()).optional().describe('The expected calls, if the case expects several.'),
  goal: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The goal of a conversation; empty in a list with `lean`. Left out for other cases.')
    .meta({ example: { state: { '/orders/17/status': 'cancelled' } } }),
});

/** One tool call as it was read from a reply. */
export const ParsedCall = z.object({
  name: z.string().describe('The name of the called tool, as the model wrote it.'),
  arguments: jsonObject.nullable().describe('The arguments of the call; null when they could not be read.'),
  raw: z.string().optional().describe('The text of arguments that could not be read.'),
  repairs: z
    .array(
      z.enum([
        'json_in_name',
        'json_in_content',
        'call_in_text',
        'double_encoded',
        'trailing_quotes',
        'function_call',
        'object_arguments',
      ]),
    )
    .optional()
    .describe('The repairs that made the call readable; left out when it needed none.'),
});
export type ParsedCall = z.infer<typeof ParsedCall>;

export const Bound = named('Bound', 'A limit that a reply exceeded. Such a reply scores 0.', {
  what: z
    .enum(['calls', 'text', 'depth', 'pairs', 'comparisons', 'state', 'answers', 'messages'])
    .describe(
      'What is limited: calls of the reply, bytes of text searched for calls, levels of nesting in ' +
        'arguments, pairs of a call and an expected call, or comparisons by meaning; in a conversation also bytes of ' +
        'its state, of the answers of its tools, or of the messages of the model.',
    ),
  limit: z.int().describe('The largest value that is scored.'),
  found: z
    .int()
    .optional()
    .describe('The value that was found; left out where counting it would have exceeded the limit, too.'),
});
export type Bound = z.infer<typeof Bound>;

/** How one argument was judged. */
export const ArgumentCheck = z.object({
  path: z.string().describe('The argument, as a JSON Pointer into the arguments of the call.'),
  rule: z
    .union([
      ScoringMode,
      z.enum(['$one_of', '$regex', '$approx', '$contains', '$any', '$absent', '$optional', '$literal']),
    ])
    .describe('The scoring mode that compared the two values, or the matcher that the case expects.'),
  verdict: z
    .enum(['match', 'mismatch', 'missing', 'skipped'])
    .describe(
      'Whether the argument is right. `missing`: the call does not have it, or has a null that counts as left out. ' +
        '`skipped`: it is optional and left out, and does not count.',
    ),
  expected: z.unknown().optional().describe('The expected value or matcher.'),
  actual: z.unknown().optional().describe('The value in the call; left out when it has none.'),
  default_applied: z
    .boolean()
    .optional()
    .describe('True when the default that the tool declares replaced an argument that the call does not have.'),
  similarity: z
    .number()
    .optional()
    .describe(
      'How similar the texts are, 0..1, if `fuzzy` or `semantic` compared them. Of several texts, the least similar ' +
        'counts; of the members of `$one_of`, the most similar. For a mismatch, only texts that differ count.',
    ),
  threshold: z.number().optional().describe('The smallest `similarity` that counts as equal.'),
  distance: z
    .number()
    .optional()
    .describe(
      'How far apart two numbers are, if `numeric_tolerance` or `$approx` compared them. Of several ' +
        'numbers, it is chosen like `similarity`.',
    ),
  epsilon: z.number().optional().describe('The largest `distance` that counts as equal.'),
  note: z
    .string()
    .optional()
    .describe(
      'Other things worth knowing: that texts are equal up to their Unicode form, that null counts as left ' +
        'out, or why two dates differ.',
    ),
});
export type ArgumentCheck = z.infer<typeof ArgumentCheck>;

export const Evidence = z
  .object({
    pairs: z
      .array(
        z.object({
          called: z.int().describe('Index of the call in `called` of the result, from 0.'),
          expected: z.int().describe('Index of the expected call that it answers, from 0.'),
          param_score: z
            .number()
            .nullable()
            .describe('Share of the expected arguments that are right, 0..1; null when none are expected.'),
          arguments: z.array(ArgumentCheck).describe('How each expected argument was judged.'),
        }),
      )
      .describe('Which call answered which expected call, and how its arguments compared.'),
    missing: z.array(z.int()).describe('Indices of expected calls that no call answered.'),
    unexpected: z.array(z.int()).describe('Indices of calls that match no expected call.'),
    extra_arguments: z
      .array(z.string())
      .optional()
      .describe(
        'Arguments of paired calls that the case does not mention, as `/called index/key`. They do not ' +
          'lower the score.',
      ),
    precision: z
      .number()
      .nullable()
      .optional()
      .describe('Share of the calls that are exactly an expected one, 0..1; only where the case has `expected_calls`.'),
    recall: z
      .number()
      .nullable()
      .optional()
      .describe('Share of the expected calls that were made exactly, 0..1; only where the case has `expected_calls`.'),
    f1: z
      .number()
      .nullable()
      .optional()
      .describe('Harmonic mean of precision and recall, 0..1; only where the case has `expected_calls`.'),
    schema: z
      .array(
        z.object({
          called: z.int().describe('Index of the call, from 0.'),
          path: z.string().describe('The place in the arguments, as a JSON Pointer.'),
          problem: z
            .enum(['missing_required', 'wrong_type', 'undeclared_key', 'enum_violation', 'other'])
            .describe('The kind of schema rule that is broken.'),
          message: z.string().describe('The requirement of the schema.'),
        }),
      )
      .optional()
      .describe('Where calls break the JSON Schema of their tool. This is a diagnosis and does not affect the score.'),
    notes: z.array(z.string()).optional().describe('Other things worth knowing about the verdict, in sentences.'),
    syntax: CallSyntax.optional(),
    finish_reason: z
      .string()
      .optional()
      .describe(
        "Why the last reply ended, in OpenAI's terms (`stop`, `tool_calls`, `length`, `content_filter`) where they " +
          'have one; left out when the provider does not say, and in verdicts of earlier releases.',
      ),
    bound: Bound.optional().describe('The limit that the reply exceeded. Nothing else in it was scored.'),
    chain: z
      .object({
        completion: z
          .number()
          .describe('Overall score of the call that reached the expected tool, 0..1; 0 when none did.'),
        efficiency: z.number().describe('`optimal_hops` / `hops`, at most 1; 1 when the case has no `optimal_hops`.'),
        redundancy: z.number().describe('0.1 for each call that repeats the one before it.'),
        detour: z
          .number()
          .describe('0.1 for each earlier call of a tool that is neither a valid prerequisite nor expected.'),
        hops: z.int().describe('How many calls count: those up to the first call of an expected tool.'),
      })
      .optional()
      .describe(
        'What the overall score of a chain is made of: completion * efficiency - redundancy - ' +
          'detour. Only of multi-turn cases.',
      ),
    conversation: ConversationEvidence.optional(),
  })
  .meta({
    id: 'Evidence',
    description:
      'The evidence for a verdict: which calls answered the expected ones, and how their arguments compared.',
  });
export type Evidence = z.infer<typeof Evidence>;

export const Verdict = named('Verdict', 'The score of one answered item.', {
  tool_score: z
    .number()
    .nullable()
    .describe(
      'Whether the right tool was called, 0 or 1. With several expected calls, the share of them that was made. Null ' +
        'for a conversation whose goal names no calls.',
    ),
  param_score: z
    .number()
    .nullable()
    .describe('Share of the expected arguments that are right, 0..1; null when none are expected.'),
  overall: z
    .number()
    .describe(
      '0.6 * tool_score + 0.4 * param_score, or the tool score alone where no arguments are expected, 0..1. For a ' +
        'conversation, the mean of the parts of its goal; 0 after a forbidden call.',
    ),
  passed: z
    .boolean()
    .describe(
      'Whether the overall score reaches the pass threshold, the call that counts could be read, and ' +
        'no forbidden extra call was made.',
    ),
  error_type: ErrorType,
  format_compliance: FormatCompliance,
  called: z.array(ParsedCall).describe('The calls of the reply. For a chain, those that count.'),
  evidence: Evidence.describe('The evidence for the verdict.'),
  abstention: z
    .boolean()
    .describe('Whether the case expects no call. Its verdict then counts towards irrelevance accuracy.'),
  completion: z.number().optional().describe('As in `evidence.chain`. Only for multi-turn cases.'),
  efficiency: z.number().optional().describe('As in `evidence.chain`. Only for multi-turn cases.'),
  redundancy: z.number().optional().describe('As in `evidence.chain`. Only for multi-turn cases.'),
  detour: z.number().optional().describe('As in `evidence.chain`. Only for multi-turn cases.'),
  hops: z.int().optional().describe('As in `evidence.chain`. Only for multi-turn cases.'),
});
export type Verdict = z.infer<typeof Verdict>;
