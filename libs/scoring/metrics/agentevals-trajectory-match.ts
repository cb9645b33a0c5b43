import { z } from 'zod';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { hasKey, pythonEqual } from './python-values.js';
import { jsonObject } from '#lib/contracts/tool';
import { metric, PARIS_CALL, replyWith, ROME_CALL, type NamedCall } from './metric.js';
import { comparedCalls } from './played-case.js';

const ARGUMENT_MODES = ['exact', 'ignore', 'subset', 'superset'] as const;
const options = z.strictObject({
  trajectory_match_mode: z
    .enum(['strict', 'unordered', 'subset', 'superset'])
    .default('strict')
    .meta({
      description:
        'How the calls must agree with the reference: message by message (`strict`), in any order ' +
        '(`unordered`), with no calls but those of the reference (`subset`), or with at least those of ' +
        'the reference (`superset`).',
    }),
  tool_args_match_mode: z.enum(ARGUMENT_MODES).default('exact').meta({
    description: "Whether arguments must be equal, are ignored, or must be a subset or a superset of the reference's.",
  }),
  tool_args_match_overrides: z
    .record(z.string(), z.union([z.enum(ARGUMENT_MODES), z.array(z.string())]))
    .nullable()
    .default(null)
    .meta({
      description:
        'For single tools, by name: another mode, or a list of dotted keys, which alone must be equal. ' +
        'An empty list means no override. Null treats all tools alike.',
    }),
});
type Options = z.output<typeof options>;

export const agentevalsTrajectoryMatch = metric({
  id: 'agentevals_trajectory_match',
  reference: 'agentevals trajectory match',
  version: '0.0.9',
  meaning: 'Whether the trajectory of calls matches a reference trajectory.',
  options,
  input: z.strictObject({
    outputs: z.array(jsonObject).meta({ description: 'The messages of the run, as chat completions have them.' }),
    reference_outputs: z.array(jsonObject).meta({ description: 'The messages that were expected.' }),
  }),
  example: {
    options: { trajectory_match_mode: 'superset' },
    input: {
      outputs: [{ role: 'user', content: 'Weather?' }, replyWith(ROME_CALL, PARIS_CALL)],
      reference_outputs: [replyWith(PARIS_CALL)],
    },
  },
  score: ({ outputs, reference_outputs }, options) => {
    const match = trajectoriesMatch(outputs, reference_outputs, options);
    return { score: Number(match), match };
  },
  records: 'messages',
  fromCase: (played, options) =>
    comparedCalls(played, comparesArguments(options), (replies, expected) => ({
      input: {
        outputs: replies.flatMap((calls, index) => [
          assistant(calls),
          ...(index < replies.length - 1 ? calls.map(() => ({ role: 'tool' })) : []),
        ]),
        reference_outputs: [assistant(expected)],
      },
    })),
});

const comparesArguments = ({ tool_args_match_mode: mode, tool_args_match_overrides: overrides }: Options): boolean =>
  mode !== 'ignore' || Object.values(overrides ?? {}).some((own) => own !== 'ignore');

const assistant = (calls: NamedCall[]): JsonObject => ({
  role: 'assistant',
  ...(calls.length && { tool_calls: calls.map((call) => ({ name: call.name, args: call.arguments ?? {} })) }),
});

interface Call {
  name: string;
  args: Json;
}

/** agentevals 0.0.9 (Python) `create_trajectory_match_evaluator`. */
function trajectoriesMatch(
  outputs: readonly JsonObject[],
  reference: readonly JsonObject[],
  options: Options,
): boolean {
  const [given, wanted] = [outputs.flatMap(callsOf), reference.flatMap(callsOf)];
  switch (options.trajectory_match_mode) {
    case 'strict':
      return (
        outputs.length === reference.length &&
        outputs.every((message, index) => sameStep(message, reference[index]!, options))
      );
    case 'superset':
      return covers(given, wanted, options);
    // Swapping the sides also swaps those of the arguments. The reference has the same pitfall.
    case 'subset':
      return covers(wanted, given, options);
    case 'unordered':
      return covers(given, wanted, options) && covers(wanted, given, options);
  }
}

/** Text is not compared. An empty list of calls differs from no list. */
function sameStep(output: JsonObject, reference: JsonObject, options: Options): boolean {
  if (output.role !== reference.role) return false;
  const [given, wanted] = [output.tool_calls ?? null, reference.tool_calls ?? null];
  if ((given === null) !== (wanted === null)) return false;
  const [calls, references] = [callsOf(output), callsOf(reference)];
  if (calls.length !== references.length) return false;
  // Here each call looks for its reference. In the other modes each reference looks for its call, which makes a
  // difference with "subset" and "superset".
  const left = [...references];
  return calls.every((call) => {
    const index = left.findIndex(
      (wanted) => call.name === wanted.name && sameArguments(call.args, wanted.args, wanted.name, options),
    );
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

/** Whether every reference call finds its own call. Each takes the first that matches. */
function covers(calls: readonly Call[], references: readonly Call[], options: Options): boolean {
  const used = new Set<number>();
  return references.every((reference) => {
    const index = calls.findIndex(
      (call, at) =>
        !used.has(at) &&
        call.name === reference.name &&
        sameArguments(call.args, reference.args, reference.name, options),
    );
    used.add(index);
    return index >= 0;
  });
}

function sameArguments(given: Json, wanted: Json, name: string, options: Options): boolean {
  const override = options.tool_args_match_overrides?.[name];
  if (Array.isArray(override) && override.length)
    return override.every((path) => pythonEqual(at(given, path), at(wanted, path)));
  switch (typeof override === 'string' && override ? override : options.tool_args_match_mode) {
    case 'exact':
      return pythonEqual(given, wanted);
    case 'subset':
      return isSubset(given, wanted);
    case 'superset':
      return isSubset(wanted, given);
    default:
      return true;
  }
}

const isSubset = (small: Json, large: Json): boolean =>
  isObject(small) &&
  Object.keys(small).every((key) => hasKey(large, key) && pythonEqual(small[key]!, (large as JsonObject)[key]!));

const at = (value: Json, path: string): Json =>
  path.split('.').reduce((inner, key) => (hasKey(inner, key) ? (inner as JsonObject)[key]! : null), value);

function callsOf(message: JsonObject): Call[] {
  if (!Array.isArray(message.tool_calls)) return [];
  return message.tool_calls.map((call) => {
    if (!isObject(call)) throw new Error('A tool call must be an object.');
    const isWrapped = isObject(call.function);
    const { name, arguments: args } = isWrapped
      ? (call.function as JsonObject)
      : { name: call.name, arguments: call.args };
    if (typeof name !== 'string') throw new Error('A tool call must name its tool.');
    return { name, args: isWrapped && typeof args === 'string' ? read(name, args) : (args ?? null) };
  });
}

function read(name: string, args: string): Json {
  try {
    return parseJson(args);
  } catch {
    throw new Error(`The arguments of a call of "${name}" are not JSON: agentevals cannot compare them.`);
  }
}
