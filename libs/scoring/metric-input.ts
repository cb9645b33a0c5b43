import type { CaseInput, ExpectedCall } from '#lib/contracts/case';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import {
  metricName,
  METRICS_NOT_IN_RUNS,
  type MetricId,
  type MetricOptions,
  type RunMetric,
} from '#lib/contracts/metric';
import type { Tool } from '#lib/contracts/tool';
import type { ParsedCall } from '#lib/contracts/verdict';
import { toPossibleAnswer } from './compatible/bfcl-possible-answer.js';
import { BFCL_CATEGORIES } from './compatible/bfcl.js';
import type { NamedCall } from './compatible/named-call.js';
import type { SimilarityLookup } from './arguments/compare-leaves.js';
import { plainArguments } from './arguments/matchers.js';
import { scoreMetric, type MetricScore } from './metrics.js';
import type { ParsedReply } from './replies/parse-reply.js';
import { expectedCalls } from './house/score-case.js';
import { countedCalls } from './house/score-chain.js';

/*
 * What each metric needs: `metricInput` makes the input of a metric from a case and the replies to it. The input of
 * each metric is declared in `metrics.ts` (`input`, `example`). Offline scoring gets the same inputs from files.
 */

/** A case with the replies to it: one round for a single turn, all rounds for a chain. */
export interface PlayedCase {
  case: CaseInput;
  tools: readonly Tool[];
  rounds: readonly { message: unknown; reply: ParsedReply }[];
  similarities?: SimilarityLookup;
}
export type MetricInput = { input: unknown } | { notApplicable: string };

/**
 * Scores a played case by each metric of a run, under the metric's name in the run. A metric that does not apply to
 * the case, or whose reference would crash on it, has the score null and a reason.
 */
export function scoreMetrics(metrics: readonly RunMetric[], played: PlayedCase): Record<string, MetricScore> {
  return Object.fromEntries(metrics.map((metric) => [metricName(metric), scoreOne(metric, played)]));
}

function scoreOne(metric: RunMetric, played: PlayedCase): MetricScore {
  const made = metricInput(metric, played);
  if ('notApplicable' in made) return { score: null, reason: made.notApplicable };
  try {
    return scoreMetric(metric.id, metric.options, made.input, played.similarities);
  } catch (error) {
    return { score: null, reason: (error as Error).message };
  }
}

const NO_ARGUMENTS = 'The case says nothing of the arguments, and the metric compares them.';
const none = (notApplicable: string): MetricInput => ({ notApplicable });

/**
 * Makes the input that `scoreMetric` takes for a metric. The calls are those that `parseReply` reads, including
 * repaired ones. For a chain they are the calls up to the expected one, compared with the expected one alone. When the
 * case accepts several names, the expected name is the one that was called. A metric that compares values exactly does
 * not apply to a case that expects matchers, or that says nothing about the arguments.
 */
export function metricInput({ id, options }: RunMetric, played: PlayedCase): MetricInput {
  const { case: input, tools, rounds } = played;
  switch (id) {
    case 'toolmark.single_turn':
      return input.multi_turn
        ? none('The case is a chain.')
        : { input: { case: input, tools, reply: rounds[0]?.message } };
    case 'toolmark.multi_turn':
      return input.multi_turn
        ? { input: { case: input, tools, rounds: rounds.map(({ message }) => ({ reply: message })) } }
        : none('The case is not a chain.');
  }
  // Runs of earlier releases may have such a metric.
  if (METRICS_NOT_IN_RUNS[id]) return none(METRICS_NOT_IN_RUNS[id]);
  const expected = expectedCalls(input);
  const replies = input.multi_turn
    ? countedCalls(
        input,
        rounds.map(({ reply }) => reply),
      )
    : rounds.map(({ reply }) => reply.calls);
  const calls = replies.flat();
  const names = namesFor(expected, calls);
  if (id === 'promptfoo_tool_call_f1') {
    if (names.length === 0) return none('promptfoo cannot express that no tool should be called.');
    return { input: { output: calls.map(({ name }) => ({ name })), expected: names } };
  }
  if (id === 'bfcl_ast') return bfclInput(played, expected, names, calls);
  if (comparesArguments(id, options)) {
    if (expected.some(({ params }) => !params)) return none(NO_ARGUMENTS);
    if (expected.some(({ params }) => !plainArguments(params!)))
      return none('The case expects matchers, and the metric compares values exactly.');
  }
  const wanted = expected.map(({ params }, index): NamedCall => ({
    name: names[index]!,
    arguments: (params && plainArguments(params)) ?? params ?? {},
  }));
  switch (id) {
    case 'deepeval_tool_correctness': {
      if ((options as MetricOptions<typeof id>).evaluation_params.includes('output'))
        return none('A case expects no outputs of tools.');
      const toDeepEval = (call: NamedCall) => ({ name: call.name, input_parameters: call.arguments });
      return { input: { called: calls.map(plain).map(toDeepEval), expected: wanted.map(toDeepEval) } };
    }
    case 'agentevals_trajectory_match': {
      const trajectory = replies.flatMap((round, index) => [
        assistant(round.map(plain)),
        ...(index < replies.length - 1 ? round.map(() => ({ role: 'tool' })) : []),
      ]);
      return { input: { outputs: trajectory, reference_outputs: [assistant(wanted)] } };
    }
    default:
      return { input: { called: calls.map(plain), expected: wanted } };
  }
}

function comparesArguments(id: MetricId, options: JsonObject): boolean {
  switch (id) {
    case 'axion_tool_correctness':
      return options.check_parameters === true;
    case 'deepeval_tool_correctness':
      return (options.evaluation_params as string[]).length > 0;
    case 'agentevals_trajectory_match':
      return (
        options.tool_args_match_mode !== 'ignore' ||
        Object.values(options.tool_args_match_overrides ?? {}).some((mode) => mode !== 'ignore')
      );
    default:
      return true;
  }
}

/** Arguments that cannot be read match no expected ones, so that the call counts only by its name. */
const plain = (call: ParsedCall): NamedCall => ({
  name: call.name,
  arguments: call.arguments ?? { '(unreadable)': call.raw ?? '' },
});

const assistant = (calls: NamedCall[]): JsonObject => ({
  role: 'assistant',
  ...(calls.length && { tool_calls: calls.map((call) => ({ name: call.name, args: call.arguments ?? {} })) }),
});

/**
 * The expected names. From several acceptable names it takes one that was called, each call at most once. Expected
 * calls with the fewest names choose first.
 */
function namesFor(expected: readonly ExpectedCall[], calls: readonly ParsedCall[]): string[] {
  const left = calls.map((call) => call.name);
  const names: string[] = [];
  const choices = expected
    .map((call, index) => ({ index, accepted: [call.tool].flat() }))
    .sort((a, b) => a.accepted.length - b.accepted.length);
  for (const { index, accepted } of choices) {
    const name = (names[index] = accepted.find((one) => left.includes(one)) ?? accepted[0]!);
    if (left.includes(name)) left.splice(left.indexOf(name), 1);
  }
  return names;
}

const BFCL_TYPES: Record<string, string> = {
  string: 'string',
  integer: 'integer',
  number: 'float',
  boolean: 'boolean',
  array: 'array',
  object: 'dict',
};

/**
 * BFCL's category for a case: the category of the case if BFCL has it and the case looks like BFCL's entries there (a
 * user's "multiple" may mean anything), else the category of entries with as many calls.
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
function bfclInput(
  { case: input, tools }: PlayedCase,
  expected: readonly ExpectedCall[],
  names: readonly string[],
  calls: readonly ParsedCall[],
): MetricInput {
  if (input.multi_turn) return none('BFCL checks the calls of one reply, not a chain.');
  const category = bfclCategory(input, expected, names[0] === tools[0]?.function.name);
  const malformed = calls.some((call) => call.arguments === null);
  const output = {
    category,
    decode_failed: malformed,
    model_output: calls.map((call) => ({ [call.name]: call.arguments ?? {} })),
  };
  if (category.includes('relevance')) return { input: output };
  if (expected.some(({ params }) => !params)) return none(NO_ARGUMENTS);
  const answers = expected.map(({ params }, index) => {
    const values = Object.entries(params!).map(([key, value]) => [key, toPossibleAnswer(value)] as const);
    return values.some(([, accepted]) => accepted === undefined)
      ? undefined
      : { [names[index]!]: Object.fromEntries(values) as JsonObject };
  });
  if (answers.includes(undefined))
    return none(
      'The case expects matchers that BFCL cannot express: it knows only "$one_of", "$optional" and "$literal".',
    );
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
