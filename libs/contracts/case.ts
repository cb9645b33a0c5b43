import { z } from 'zod';
import { jsonObject, toolList, MAX_TOOLS, Tool, ToolName } from './tool.js';

export const SCORING_MODES = [
  'exact',
  'case_insensitive',
  'contains',
  'numeric_tolerance',
  'regex',
  'fuzzy',
  'semantic',
] as const;
export const ScoringMode = z.enum(SCORING_MODES).meta({
  description:
    'How an expected value is compared with the one in the call. `exact` and `case_insensitive` are ' +
    'the same: strings ignore case, numbers are equal by value, and types must agree.',
});
export type ScoringMode = z.infer<typeof ScoringMode>;

const rule = {
  mode: ScoringMode.optional(),
  epsilon: z
    .number()
    .nonnegative()
    .optional()
    .meta({ description: 'Largest distance that still counts as equal, for `numeric_tolerance`; 0.01 when left out.' }),
  threshold: z.number().min(0).max(1).optional().meta({
    description:
      'Smallest similarity that still counts as equal, for `fuzzy` (0.8 when left out) and `semantic` (0.85).',
  }),
};
export const ParamRule = z.strictObject(rule);
export const ScoringConfig = z
  .strictObject({
    ...rule,
    defaults: z
      .enum(['equal', 'strict'])
      .optional()
      .meta({
        description:
          'Whether an argument that the call does not have counts as the default that the tool ' +
          'declares for it (`equal`, also when left out), or as missing (`strict`).',
      }),
    params: z
      .record(z.string(), ParamRule)
      .optional()
      .meta({ description: 'Rules for single arguments, by name. They count more than those beside them.' }),
  })
  .meta({ id: 'ScoringConfig', description: 'How expected arguments are compared with those of a call.' });
export type ScoringConfig = z.infer<typeof ScoringConfig>;

export const ExpectedCall = z
  .strictObject({
    tool: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_TOOLS)])
      .meta({ description: 'The name of the tool, or a list of acceptable ones.' }),
    params: jsonObject.nullish().meta({
      description:
        'The expected arguments: values or matchers (`{"$one_of": [...]}`, ...). Left out or null, ' +
        'the arguments are not looked at.',
    }),
    scoring_config: ScoringConfig.nullish().meta({
      description: 'How the arguments of this call are compared; left out or null, as the case says.',
    }),
  })
  .meta({ id: 'ExpectedCall', description: 'One of several calls that a case expects.' });
export type ExpectedCall = z.infer<typeof ExpectedCall>;

export const Message = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']).meta({ description: 'Who speaks.' }),
    content: z.unknown().optional().meta({ description: 'What is said: a text, or a list of parts such as images.' }),
  })
  .meta({
    id: 'Message',
    description:
      "One message of a conversation, as OpenAI's chat completions take it; passed on as it is, " +
      '`tool_calls` and other fields included.',
  });
export type Message = z.infer<typeof Message>;

const text = z.string().max(50_000);

/** The fields of a case as a user writes them. `checkCase` in libs/scoring checks the rules between fields. */
export const CaseInput = z
  .strictObject({
    name: z
      .string()
      .max(200)
      .nullish()
      .meta({ description: 'What the case is called in results; null or left out for none.' }),
    category: z
      .string()
      .max(200)
      .nullish()
      .meta({ description: 'A group of cases: summaries have figures for each. Null or left out for none.' }),
    tags: z
      .array(z.string().min(1).max(100))
      .max(50)
      .optional()
      .meta({ description: 'Words by which a run can choose its cases (`case_filter`).' }),
    prompt: text.min(1).optional().meta({ description: 'What the user says to the model. Give this, or `messages`.' }),
    messages: z.array(Message).min(1).max(500).optional().meta({ description: 'A conversation instead of `prompt`.' }),
    expected_tool: z
      .union([z.string().min(1), z.array(z.string().min(1)).max(MAX_TOOLS), z.null()])
      .optional()
      .meta({
        description:
          'The name of the tool that should be called, a list of acceptable ones, or null when none should be.',
      }),
    expected_params: jsonObject.nullish().meta({
      description:
        'The expected arguments: values, or matchers such as `{"$one_of": [...]}`, `{"$regex": ' +
        '...}`, `{"$optional": ...}`. Others may be there too. Left out or null, the arguments are ' +
        'not looked at.',
    }),
    param_scoring: ScoringMode.optional().meta({
      description:
        'How expected values are compared with those of the call; `exact` when left out. `scoring_config` counts more.',
    }),
    scoring_config: ScoringConfig.nullish().meta({
      description:
        'How expected values are compared, argument by argument if need be; null or left out: all as ' +
        '`param_scoring` says.',
    }),
    should_call_tool: z
      .boolean()
      .optional()
      .meta({ description: 'False says the same as an `expected_tool` of null: no tool should be called.' }),
    expected_calls: z
      .array(ExpectedCall)
      .max(100)
      .optional()
      .meta({
        description:
          'Several expected calls, instead of `expected_tool` and `expected_params`; an empty list ' +
          'when no tool should be called.',
      }),
    call_order: z.enum(['any', 'strict']).optional().meta({
      description: 'Whether `expected_calls` may be made in any order (also when left out) or only in this one.',
    }),
    allow_extra_calls: z.boolean().optional().meta({
      description:
        'False: a call that is not expected fails the case, though it costs no score. Left out or true, it does not.',
    }),
    multi_turn: z.boolean().optional().meta({
      description:
        'Whether the case is a chain: calls are answered by `mock_responses` until the expected tool is called.',
    }),
    max_rounds: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .meta({ description: 'How many times the model is asked in a chain; 5 when left out.' }),
    optimal_hops: z
      .int()
      .min(1)
      .max(1000)
      .nullish()
      .meta({
        description:
          'With how many calls a chain can be done, the last one included; more lower its score. ' +
          'Null or left out, any number is as good.',
      }),
    valid_prerequisites: z.array(z.string()).max(128).nullish().meta({
      description: 'Tools that may be called on the way; others cost 0.1 each. Null or left out, all may be.',
    }),
    mock_responses: jsonObject.nullish().meta({
      description:
        'What tools answer in a chain: by the name of the tool an answer, a list of answers in turn, ' +
        'or `[{"when": ..., "respond": ...}]`. A tool without one answers `{"status": "ok"}`.',
    }),
    tools: toolList(z.union([ToolName, Tool]))
      .optional()
      .meta({ description: "Tools of its own, or names of those of the suite, instead of all of the suite's." }),
    distractors: z
      .union([
        z.int().min(0).max(MAX_TOOLS).meta({ description: 'How many.' }),
        z
          .strictObject({
            count: z.int().min(0).max(MAX_TOOLS).meta({ description: 'How many other tools.' }),
            seed: z
              .int()
              .min(0)
              .max(2 ** 32 - 1)
              .meta({ description: 'What they are drawn by: the same seed draws the same tools.' }),
          })
          .meta({ description: 'How many, and drawn by which seed.' }),
      ])
      .optional()
      .meta({
        description:
          'Besides the tools that the case needs, so many others of the suite, drawn by seed (0): ' +
          'how does selection suffer from a long list? Left out, all tools are offered.',
      }),
    draft: z
      .literal(true)
      .optional()
      .meta({ description: 'Made by a machine and not yet looked at: runs leave it out until this is taken away.' }),
    source: z
      .string()
      .max(500)
      .nullish()
      .meta({
        description:
          'Where the case came from, such as the trace and the span that it was imported from; sent ' +
          'to no model. Null or left out: nobody said.',
      }),
  })
  .meta({ id: 'CaseInput', description: 'A case: what is asked, and which call would be right.' });
export type CaseInput = z.infer<typeof CaseInput>;

export const Case = CaseInput.extend({
  id: z.uuid().meta({ description: 'The id of the case.' }),
  position: z.int().meta({ description: 'Its place in the suite, from 0; cases are listed in this order.' }),
}).meta({ id: 'Case', description: 'A case of a suite.' });
export type Case = z.infer<typeof Case>;
