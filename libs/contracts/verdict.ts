import { z } from 'zod';
import { ScoringMode } from './case.js';
import { jsonObject } from './tool.js';

/** Raised whenever the same reply could score differently than before; kept with every verdict. */
export const SCORING_VERSION = 3;

export const ERROR_TYPES = [
  'none', 'errored', 'oversized_reply', 'no_call', 'unexpected_call', 'malformed_arguments', 'unknown_tool', 'round_limit', 'incomplete_chain',
  'wrong_tool', 'missing_argument', 'wrong_argument', 'extra_call', 'long_way',
] as const;
export const ErrorType = z.enum(ERROR_TYPES);
export type ErrorType = z.infer<typeof ErrorType>;

export const FormatCompliance = z.enum(['native', 'repaired', 'none', 'malformed']);
export type FormatCompliance = z.infer<typeof FormatCompliance>;

/** One tool call as it was read from a reply. `arguments` is null when they could not be read; `raw` is their text then. */
export const ReadCall = z.object({
  name: z.string(),
  arguments: jsonObject.nullable(),
  raw: z.string().optional(),
  /** What had to be done to read it. */
  repairs: z.array(z.enum(['json_in_name', 'json_in_content', 'double_encoded', 'function_call', 'object_arguments'])).optional(),
});
export type ReadCall = z.infer<typeof ReadCall>;

/** A bound that a reply went beyond. `found` is left out where looking for it would have gone beyond it too. */
export const Bound = z
  .object({ what: z.enum(['calls', 'text', 'depth', 'pairs', 'comparisons']), limit: z.int(), found: z.int().optional() })
  .meta({ id: 'Bound' });
export type Bound = z.infer<typeof Bound>;

/** How one argument was judged. `path` is a JSON Pointer into the arguments. */
export const ArgumentCheck = z.object({
  path: z.string(),
  rule: z.union([ScoringMode, z.enum(['$one_of', '$regex', '$approx', '$contains', '$any', '$absent', '$optional'])]),
  verdict: z.enum(['match', 'mismatch', 'missing', 'skipped']),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
  /** The called tool's declared default stood in for a missing key. */
  default_applied: z.boolean().optional(),
  similarity: z.number().optional().meta({
    description: 'How similar the texts are, 0 to 1, where "fuzzy" or "semantic" compared them: of several the least similar, of the members of `$one_of` the most similar; of a mismatch those that differ.',
  }),
  threshold: z.number().optional().meta({ description: 'What `similarity` has to be at least.' }),
  distance: z.number().optional().meta({ description: 'How far apart two numbers are, where "numeric_tolerance" or `$approx` compared them; chosen as `similarity` is.' }),
  epsilon: z.number().optional().meta({ description: 'What `distance` may be at most.' }),
  note: z.string().optional(),
});
export type ArgumentCheck = z.infer<typeof ArgumentCheck>;

export const Evidence = z
  .object({
    /** Which call (index into the reply's calls) answered which expected call (index), and how its arguments fared. */
    pairs: z.array(z.object({ called: z.int(), expected: z.int(), param_score: z.number().nullable(), arguments: z.array(ArgumentCheck) })),
    /** Indices of expected calls that no call answered. */
    missing: z.array(z.int()),
    /** Indices of calls that answer nothing expected. */
    unexpected: z.array(z.int()),
    /** Keys in a paired call that the case does not mention, as `/called index/key`. */
    extra_arguments: z.array(z.string()).optional(),
    precision: z.number().nullable().optional(),
    recall: z.number().nullable().optional(),
    f1: z.number().nullable().optional(),
    /** Problems of the calls against their tools' JSON Schemas; a diagnosis that scores nothing. */
    schema: z
      .array(z.object({ called: z.int(), path: z.string(), problem: z.enum(['missing_required', 'wrong_type', 'undeclared_key', 'enum_violation', 'other']), message: z.string() }))
      .optional(),
    notes: z.array(z.string()).optional(),
    /** Why a reply is oversized: nothing else of it was looked at. */
    bound: Bound.optional(),
    /** What a chain's overall is made of; hops are the calls that count. */
    chain: z.object({ completion: z.number(), efficiency: z.number(), redundancy: z.number(), detour: z.number(), hops: z.int() }).optional(),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;

/** The score of one item that was answered. Scores are 0..1; null means that the metric does not apply. */
export const Verdict = z
  .object({
    tool_score: z.number(),
    param_score: z.number().nullable(),
    overall: z.number(),
    passed: z.boolean(),
    error_type: ErrorType,
    format_compliance: FormatCompliance,
    called: z.array(ReadCall),
    evidence: Evidence,
    /** Whether the case expects no call (its verdict counts towards irrelevance accuracy). */
    abstention: z.boolean(),
    completion: z.number().optional(),
    efficiency: z.number().optional(),
    redundancy: z.number().optional(),
    detour: z.number().optional(),
    hops: z.int().optional(),
  })
  .meta({ id: 'Verdict' });
export type Verdict = z.infer<typeof Verdict>;
