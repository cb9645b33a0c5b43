import { z } from 'zod';
import type { CaseInput } from '#lib/contracts/case';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonObject } from '#lib/contracts/tool';
import { BFCL_CATEGORIES, bfclAst as check } from './bfcl-checker.js';
import { toPossibleAnswer } from './bfcl-possible-answer.js';
import { json, metric, NO_OPTIONS, type MetricInput, type PlayedCase } from './metric.js';
import { callsOf, NO_ARGUMENTS } from './played-case.js';

const optionalFlag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const bfclFunction = jsonObject.refine(
  (given) => !isObject(given) || typeof given.name === 'string',
  'must have a "name" and "parameters"',
);

export const bfclAst = metric({
  id: 'bfcl_ast',
  reference: 'BFCL AST checker',
  version: 'v4',
  meaning: 'Whether the calls are among the possible answers (Python categories).',
  options: NO_OPTIONS,
  input: z.strictObject({
    category: z.string().meta({
      description:
        "BFCL's category, which decides how the calls are checked: simple, multiple, parallel, irrelevance, ...",
    }),
    functions: z
      .array(bfclFunction)
      .nullish()
      .meta({ description: "The functions that the model was offered, with BFCL's types." }),
    model_output: json.optional().meta({
      description:
        'The calls that were made, each {name: {argument: value}}; null or a text when they could not be decoded.',
    }),
    possible_answer: z
      .array(jsonObject)
      .nullish()
      .meta({
        description:
          'The calls that were expected, each {name: {argument: [acceptable values]}}; "" among ' +
          'them: it may be left out.',
      }),
    underscore_to_dot: optionalFlag.meta({
      description: "Whether the model's API forbids dots in names, so that underscores replace them.",
    }),
    decode_failed: optionalFlag.meta({ description: 'Whether the output could not be decoded.' }),
  }),
  example: {
    input: {
      category: 'simple',
      functions: [
        {
          name: 'weather',
          parameters: { type: 'dict', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      ],
      model_output: [{ weather: { city: 'paris' } }],
      possible_answer: [{ weather: { city: ['Paris', 'Paris, France'] } }],
    },
  },
  score: ({ functions, possible_answer, ...input }) => {
    if (input.model_output === undefined && !input.decode_failed)
      throw new Error('/input/model_output is missing. Give null when the output was not decoded.');
    if (!input.category.includes('relevance')) {
      if (functions === undefined)
        throw new Error(`/input/functions is missing, and the category "${input.category}" needs it.`);
      if (possible_answer === undefined)
        throw new Error(`/input/possible_answer is missing, and the category "${input.category}" needs it.`);
    }
    const verdict = check({
      ...input,
      functions: functions ?? [],
      possible_answer: possible_answer ?? [],
      model_output: input.model_output ?? null,
    });
    return { score: Number(verdict.valid), ...verdict };
  },
  fields: {
    category: ['category', 'test_category'],
    functions: ['functions', 'function', 'func_description'],
    possible_answer: ['possible_answer', 'ground_truth'],
  },
  records: 'bfcl',
  fromCase,
});

const BFCL_TYPES: Record<string, string> = {
  string: 'string',
  integer: 'integer',
  number: 'float',
  boolean: 'boolean',
  array: 'array',
  object: 'dict',
};

/**
 * BFCL's category for a case: the category of the case if BFCL has it and the case looks like BFCL's entries in it (a
 * user's "multiple" may mean anything), else the category of entries with the same number of calls.
 */
function bfclCategory({ category }: CaseInput, expected: readonly ExpectedCall[], isFirstTool: boolean): string {
  const own = BFCL_CATEGORIES.find((one) => one === category) ?? '';
  const one = expected.length === 1;
  const isLike = own.includes('irrelevance')
    ? expected.length === 0
    : own.includes('relevance')
      ? expected.length > 0 && expected.every(({ params }) => !params)
      : own.includes('parallel') || (one && (own.includes('multiple') || (own !== '' && isFirstTool)));
  return isLike ? own : expected.length === 0 ? 'irrelevance' : one ? 'multiple' : 'parallel_multiple';
}

/** BFCL's function descriptions have their own types, and its answers list the acceptable values of each parameter. */
function fromCase(played: PlayedCase): MetricInput {
  const { case: input, tools } = played;
  if (input.conversation) return { notApplicable: 'BFCL checks the calls of one reply, not a conversation.' };
  if (input.multi_turn) return { notApplicable: 'BFCL checks the calls of one reply, not a chain.' };
  const { expected, calls, names } = callsOf(played);
  const category = bfclCategory(input, expected, names[0] === tools[0]?.function.name);
  const malformed = calls.some((call) => call.arguments === null);
  const output = {
    category,
    decode_failed: malformed,
    model_output: calls.map((call) => ({ [call.name]: call.arguments ?? {} })),
  };
  if (category.includes('relevance')) return { input: output };
  if (expected.some(({ params }) => !params)) return NO_ARGUMENTS;
  const answers = expected.map(({ params }, index) => {
    const values = Object.entries(params!).map(([key, value]) => [key, toPossibleAnswer(value)] as const);
    return values.some(([, accepted]) => accepted === undefined)
      ? undefined
      : { [names[index]!]: Object.fromEntries(values) as JsonObject };
  });
  if (answers.includes(undefined))
    return {
      notApplicable:
        'The case expects matchers that BFCL cannot express: it knows only "$one_of", "$optional" and "$literal".',
    };
  const functions = tools.map(({ function: { name, parameters } }) => ({
    name,
    parameters: {
      properties: Object.fromEntries(
        Object.entries((parameters?.properties ?? {}) as JsonObject).map(([key, schema]) => [key, bfclSchema(schema)]),
      ),
      required: parameters?.required ?? [],
    },
  }));
  return { input: { ...output, functions, possible_answer: answers } };
}

function bfclSchema(schema: Json): JsonObject {
  if (!isObject(schema)) return {};
  const type = typeof schema.type === 'string' ? (BFCL_TYPES[schema.type] ?? schema.type) : (schema.type ?? 'any');
  return { type, ...(schema.items !== undefined && { items: bfclSchema(schema.items) }) };
}
