import { z } from 'zod';
import { ScoringMode } from './case.js';
import { jsonObject } from './tool.js';

/** Raise this whenever the same reply could score differently than before. Every verdict stores it. */
export const SCORING_VERSION = 3;

export const ERROR_TYPES = [
  'none',
  'errored',
  'oversized_reply',
  'no_call',
  'unexpected_call',
  'malformed_arguments',
  'unknown_tool',
  'round_limit',
  'incomplete_chain',
  'wrong_tool',
  'missing_argument',
  'wrong_argument',
  'extra_call',
  'long_way',
] as const;
export const ErrorType = z.enum(ERROR_TYPES).meta({
  description:
    'What is wrong with a reply, the first that applies; `none` when nothing is, `errored` when there is no reply.',
});
export type ErrorType = z.infer<typeof ErrorType>;

export const FormatCompliance = z.enum(['native', 'repaired', 'none', 'malformed']).meta({
  description:
    'How the reply made its calls: as the API has them (`native`), in a form that had to be ' +
    'repaired, unreadably (`malformed`), or not at all (`none`).',
});
export type FormatCompliance = z.infer<typeof FormatCompliance>;

/** One tool call as it was read from a reply. */
export const ParsedCall = z.object({
  name: z.string().meta({ description: "The tool that the model called, in the model's own spelling." }),
  arguments: jsonObject
    .nullable()
    .meta({ description: 'The arguments of the call; null when they could not be read.' }),
  raw: z.string().optional().meta({ description: 'The text of arguments that could not be read.' }),
  repairs: z
    .array(z.enum(['json_in_name', 'json_in_content', 'double_encoded', 'function_call', 'object_arguments']))
    .optional()
    .meta({ description: 'What had to be done to read the call; left out when nothing had.' }),
});
export type ParsedCall = z.infer<typeof ParsedCall>;

export const Bound = z
  .object({
    what: z.enum(['calls', 'text', 'depth', 'pairs', 'comparisons']).meta({
      description:
        'Calls of the reply, bytes of text searched for calls, levels of nesting in arguments, pairs ' +
        'of a call and an expected call, or comparisons by meaning.',
    }),
    limit: z.int().meta({ description: 'The most that is scored.' }),
    found: z
      .int()
      .optional()
      .meta({ description: 'What the reply has; left out where counting it would have gone beyond the bound too.' }),
  })
  .meta({ id: 'Bound', description: 'A bound that a reply went beyond. Such a reply scores 0.' });
export type Bound = z.infer<typeof Bound>;

/** How one argument was judged. */
export const ArgumentCheck = z.object({
  path: z.string().meta({ description: 'The argument, as a JSON Pointer into the arguments of the call.' }),
  rule: z
    .union([ScoringMode, z.enum(['$one_of', '$regex', '$approx', '$contains', '$any', '$absent', '$optional'])])
    .meta({ description: 'The scoring mode that compared the two values, or the matcher that the case expects.' }),
  verdict: z.enum(['match', 'mismatch', 'missing', 'skipped']).meta({
    description:
      'Whether the argument is right. `missing`: the call does not have it; `skipped`: it is ' +
      'optional and not there, and counts neither way.',
  }),
  expected: z.unknown().optional().meta({ description: 'What the case expects there: a value or a matcher.' }),
  actual: z.unknown().optional().meta({ description: 'What the call has there; left out when it has nothing.' }),
  default_applied: z.boolean().optional().meta({
    description: "True when the tool's declared default stood in for an argument that the call does not have.",
  }),
  similarity: z
    .number()
    .optional()
    .meta({
      description:
        'How similar the texts are, 0..1, where `fuzzy` or `semantic` compared them: of several the ' +
        'least similar, of the members of `$one_of` the most similar; of a mismatch those that differ.',
    }),
  threshold: z.number().optional().meta({ description: 'What `similarity` has to be at least.' }),
  distance: z
    .number()
    .optional()
    .meta({
      description:
        'How far apart two numbers are, where `numeric_tolerance` or `$approx` compared them; chosen ' +
        'as `similarity` is.',
    }),
  epsilon: z.number().optional().meta({ description: 'What `distance` may be at most.' }),
  note: z
    .string()
    .optional()
    .meta({ description: 'What else is worth knowing, such as a text too long for a fuzzy comparison.' }),
});
export type ArgumentCheck = z.infer<typeof ArgumentCheck>;

export const Evidence = z
  .object({
    pairs: z
      .array(
        z.object({
          called: z.int().meta({ description: 'Index of the call in `called` of the result, from 0.' }),
          expected: z.int().meta({ description: 'Index of the expected call that it answers, from 0.' }),
          param_score: z.number().nullable().meta({
            description: 'Share of the expected arguments that are right, 0..1; null when none are expected.',
          }),
          arguments: z.array(ArgumentCheck).meta({ description: 'How each expected argument was judged.' }),
        }),
      )
      .meta({ description: 'Which call answered which expected call, and how its arguments fared.' }),
    missing: z.array(z.int()).meta({ description: 'Indices of expected calls that no call answered.' }),
    unexpected: z.array(z.int()).meta({ description: 'Indices of calls that answer nothing expected.' }),
    extra_arguments: z.array(z.string()).optional().meta({
      description:
        'Arguments of paired calls that the case does not mention, as `/called index/key`. They cost nothing.',
    }),
    precision: z.number().nullable().optional().meta({
      description:
        'Share of the calls that are exactly an expected one, 0..1; only where the case has `expected_calls`.',
    }),
    recall: z.number().nullable().optional().meta({
      description:
        'Share of the expected calls that were made exactly, 0..1; only where the case has `expected_calls`.',
    }),
    f1: z
      .number()
      .nullable()
      .optional()
      .meta({ description: 'Harmonic mean of precision and recall, 0..1; only where the case has `expected_calls`.' }),
    schema: z
      .array(
        z.object({
          called: z.int().meta({ description: 'Index of the call, from 0.' }),
          path: z.string().meta({ description: 'The place in its arguments, as a JSON Pointer.' }),
          problem: z
            .enum(['missing_required', 'wrong_type', 'undeclared_key', 'enum_violation', 'other'])
            .meta({ description: 'Which kind of rule of the schema is broken.' }),
          message: z.string().meta({ description: 'What the schema asks for.' }),
        }),
      )
      .optional()
      .meta({ description: 'Where calls break the JSON Schema of their tool: a diagnosis that scores nothing.' }),
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'What else is worth knowing about the verdict, in sentences.' }),
    bound: Bound.optional().meta({ description: 'Why the reply is oversized: nothing else of it was looked at.' }),
    chain: z
      .object({
        completion: z
          .number()
          .meta({ description: 'Overall score of the call that reached the expected tool, 0..1; 0 when none did.' }),
        efficiency: z
          .number()
          .meta({ description: '`optimal_hops` / `hops`, 1 at most; 1 when the case gives no optimum.' }),
        redundancy: z.number().meta({ description: '0.1 for each call that is equal to the one before it.' }),
        detour: z.number().meta({
          description: '0.1 for each earlier call of a tool that is neither a valid prerequisite nor expected.',
        }),
        hops: z.int().meta({ description: 'How many calls count: those up to the first one of an expected tool.' }),
      })
      .optional()
      .meta({
        description:
          'What the overall score of a chain is made of: completion * efficiency - redundancy - ' +
          'detour. Only of multi-turn cases.',
      }),
  })
  .meta({
    id: 'Evidence',
    description: 'What a verdict rests on: which calls answered what was expected, and how their arguments compared.',
  });
export type Evidence = z.infer<typeof Evidence>;

export const Verdict = z
  .object({
    tool_score: z.number().meta({
      description:
        'Whether the right tool was called, 0 or 1; with several expected calls the share of them that was made.',
    }),
    param_score: z
      .number()
      .nullable()
      .meta({ description: 'Share of the expected arguments that are right, 0..1; null when none are expected.' }),
    overall: z.number().meta({
      description:
        '0.6 * tool_score + 0.4 * param_score, or the tool score alone where no arguments are expected, 0..1.',
    }),
    passed: z.boolean().meta({
      description:
        'Whether overall reaches the pass threshold, the call that counts could be read, and no ' +
        'forbidden extra call was made.',
    }),
    error_type: ErrorType,
    format_compliance: FormatCompliance,
    called: z.array(ParsedCall).meta({ description: 'The calls of the reply; of a chain those that count.' }),
    evidence: Evidence.meta({ description: 'What the verdict rests on.' }),
    abstention: z
      .boolean()
      .meta({ description: 'Whether the case expects no call; its verdict then counts towards irrelevance accuracy.' }),
    completion: z.number().optional().meta({ description: 'As in `evidence.chain`; only of multi-turn cases.' }),
    efficiency: z.number().optional().meta({ description: 'As in `evidence.chain`; only of multi-turn cases.' }),
    redundancy: z.number().optional().meta({ description: 'As in `evidence.chain`; only of multi-turn cases.' }),
    detour: z.number().optional().meta({ description: 'As in `evidence.chain`; only of multi-turn cases.' }),
    hops: z.int().optional().meta({ description: 'As in `evidence.chain`; only of multi-turn cases.' }),
  })
  .meta({ id: 'Verdict', description: 'The score of one item that was answered.' });
export type Verdict = z.infer<typeof Verdict>;
