import { z } from 'zod';
import { boundTools, jsonObject, MAX_TOOLS, Tool, ToolName } from './tool.js';

export const SCORING_MODES = ['exact', 'case_insensitive', 'contains', 'numeric_tolerance', 'regex', 'fuzzy', 'semantic'] as const;
export const ScoringMode = z.enum(SCORING_MODES);
export type ScoringMode = z.infer<typeof ScoringMode>;

const rule = {
  mode: ScoringMode.optional(),
  /** Largest distance that still counts as equal, for `numeric_tolerance`. */
  epsilon: z.number().nonnegative().optional(),
  /** Smallest similarity 0..1 that still counts as equal, for `fuzzy` (0.8) and `semantic` (0.85). */
  threshold: z.number().min(0).max(1).optional(),
};
export const ParamRule = z.strictObject(rule);
export const ScoringConfig = z
  .strictObject({
    ...rule,
    /** `equal`: a key absent from the call counts as the tool's declared default for it. */
    defaults: z.enum(['equal', 'strict']).optional(),
    params: z.record(z.string(), ParamRule).optional(),
  })
  .meta({ id: 'ScoringConfig' });
export type ScoringConfig = z.infer<typeof ScoringConfig>;

export const ExpectedCall = z
  .strictObject({
    tool: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_TOOLS)]),
    params: jsonObject.nullish(),
    scoring_config: ScoringConfig.nullish(),
  })
  .meta({ id: 'ExpectedCall' });
export type ExpectedCall = z.infer<typeof ExpectedCall>;

/** One message of a conversation, as OpenAI chat completions take it; passed on as it is. */
export const Message = z
  .looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']), content: z.unknown().optional() })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

const text = z.string().max(50_000);

/** The fields of a case as a user writes them. Rules between fields are `checkCase` in libs/scoring. */
export const CaseInput = z
  .strictObject({
    name: z.string().max(200).nullish(),
    category: z.string().max(200).nullish(),
    tags: z.array(z.string().min(1).max(100)).max(50).optional(),
    prompt: text.min(1).optional(),
    /** A conversation instead of `prompt`. */
    messages: z.array(Message).min(1).max(500).optional(),
    /** A tool's name, a list of acceptable ones, or null: no tool should be called. */
    expected_tool: z.union([z.string().min(1), z.array(z.string().min(1)).max(MAX_TOOLS), z.null()]).optional(),
    expected_params: jsonObject.nullish(),
    param_scoring: ScoringMode.optional(),
    scoring_config: ScoringConfig.nullish(),
    should_call_tool: z.boolean().optional(),
    expected_calls: z.array(ExpectedCall).max(100).optional(),
    call_order: z.enum(['any', 'strict']).optional(),
    allow_extra_calls: z.boolean().optional(),
    multi_turn: z.boolean().optional(),
    max_rounds: z.int().min(1).max(50).optional(),
    optimal_hops: z.int().min(1).max(1000).nullish(),
    valid_prerequisites: z.array(z.string()).max(128).nullish(),
    /** What tools answer in a chain: by the tool's name an answer, a list of answers in turn, or `[{when, respond}]`. */
    mock_responses: jsonObject.nullish(),
    /** Tools of its own, or names of those of the suite, instead of all of the suite's. */
    tools: z.array(z.union([ToolName, Tool])).min(1).max(MAX_TOOLS).superRefine(boundTools).optional(),
    /** Besides the tools that it needs, so many others of the suite, drawn by seed (0): how does selection suffer from a long list? */
    distractors: z.union([z.int().min(0).max(MAX_TOOLS), z.strictObject({ count: z.int().min(0).max(MAX_TOOLS), seed: z.int().min(0).max(2 ** 32 - 1) })]).optional(),
    /** Made by a machine and not yet looked at: runs leave it out until this is taken away. */
    draft: z.literal(true).optional(),
    source: z.string().max(500).nullish().meta({ description: 'Where the case came from, such as the trace and span that it was imported of; kept, and sent to no model' }),
  })
  .meta({ id: 'CaseInput' });
export type CaseInput = z.infer<typeof CaseInput>;

export const Case = CaseInput.extend({ id: z.uuid(), position: z.int() }).meta({ id: 'Case' });
export type Case = z.infer<typeof Case>;
