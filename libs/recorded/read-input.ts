import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { suggestNames, likelyName } from '#lib/contracts/input/nearest-names';
import { findMetric } from '#lib/scoring/metrics';
import { describeExample, type Metric, type ReadCall } from '#lib/scoring/metrics/metric';
import { findJsonSpans } from '#lib/scoring/replies/json-in-text';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { contentText, splitThoughts } from '#lib/scoring/replies/thoughts';
import { readCall, rejectUnknownKeys, shorten, toToolCall, type RecordedCall } from './read-call.js';
import { isMessage, readMessages } from './read-messages.js';
import { isForeign, requireList, readRecorded } from './read-recorded.js';

/** A metric's input under Toolmark's names. If it came in another format, `readAs` names that format. */
export interface ReadInput {
  input: unknown;
  readAs?: string;
}

/** Synonyms of a field, with Toolmark's name first. */
const CALLED = ['called', 'tools_called', 'toolsCalled'];
const EXPECTED = ['expected', 'expected_tools', 'expectedTools', 'reference_tool_calls'];
const REFERENCE_OUTPUTS = ['reference_outputs', 'referenceOutputs'];

/**
 * Reads the input of a metric: Toolmark's own, also under the reference's field names, or a record from a provider or
 * another tool. Input that `scoreMetric` accepts stays unchanged.
 * @throws Error that names the field, and what the metric takes
 */
export function readInput(id: string, input: unknown): ReadInput {
  const metric = findMetric(id);
  if (!isObject(input))
    throw new Error(`"input" ${input === undefined ? 'is missing' : 'must be an object'}. ${describeExample(metric)}`);
  const named = renamed(input, metric.fields ?? {});
  return metric.records ? READERS[metric.records](named, metric) : { input: named };
}

const READERS: Record<NonNullable<Metric['records']>, (input: JsonObject, metric: Metric) => ReadInput> = {
  reply: singleTurn,
  rounds: multiTurn,
  calls,
  messages: trajectories,
  names,
  bfcl,
};

// House metrics: a case, its tools, and a reply in any shape.

function singleTurn({ reply, ...rest }: JsonObject): ReadInput {
  if (reply === undefined) return { input: rest };
  const { rounds, readAs } = withPath('reply', () => readRecorded(reply));
  if (rounds.length > 1)
    throw new Error(
      `/input/reply: it has ${rounds.length} rounds, and this metric scores one: toolmark.multi_turn ` +
        'takes them as "rounds".',
    );
  return { input: { ...rest, reply: rounds[0] }, ...foreignShapes([readAs]) };
}

function multiTurn({ rounds, ...rest }: JsonObject): ReadInput {
  if (rounds === undefined) return { input: rest };
  if (!Array.isArray(rounds) || !rounds.every((round) => isObject(round) && 'reply' in round)) {
    const whole = withPath('rounds', () => readRecorded(rounds));
    return { input: { ...rest, rounds: whole.rounds.map((reply) => ({ reply })) }, ...foreignShapes([whole.readAs]) };
  }
  const shapes: string[] = [];
  const read = (rounds as JsonObject[]).map(({ reply, ...round }, index) => {
    const recorded = withPath(`rounds/${index}/reply`, () => readRecorded(reply));
    if (recorded.rounds.length > 1)
      throw new Error(
        `/input/rounds/${index}/reply: it has ${recorded.rounds.length} rounds: send the conversation as "rounds".`,
      );
    shapes.push(recorded.readAs);
    return { ...round, reply: recorded.rounds[0] };
  });
  return { input: { ...rest, rounds: read }, ...foreignShapes(shapes) };
}

// Metrics on calls: the actual calls and the expected calls.

interface Sides {
  called: RecordedCall[] | null;
  expected: RecordedCall[] | null;
  readAs?: string;
}

function calls(input: JsonObject, metric: Metric): ReadInput {
  const { called, expected, readAs } = sidesOf(input, metric);
  const { toCall = toNamed } = metric;
  const asTaken = (call: RecordedCall): JsonObject => toCall({ ...call, arguments: argumentsOf(call) });
  return {
    input: { called: called && called.map(asTaken), expected: expected && expected.map(asTaken) },
    ...(readAs !== undefined && { readAs }),
  };
}

function sidesOf(input: JsonObject, metric: Metric): Sides {
  const reference = nameOf(input, REFERENCE_OUTPUTS);
  if (reference !== undefined && input.outputs !== undefined) {
    rejectUnknownKeys(input, AGENTEVALS, 'the input');
    const [outputs, wanted] = ['outputs', reference].map((key) =>
      withPath(key, () => readMessages(requireList(input[key]!, key), key).messages),
    );
    return { called: callsMade(outputs!), expected: callsExpected(wanted!, reference), readAs: 'agentevals.outputs' };
  }
  const [calledAs, expectedAs] = [nameOf(input, CALLED), nameOf(input, EXPECTED)];
  if (expectedAs === undefined)
    throw new Error(
      '/input/expected is missing: the calls that were expected, or ' +
        `[].${suggestMisspelt(input, [...CALLED, ...EXPECTED])} ${describeExample(metric)}`,
    );
  const expected = readable(listOfCalls(metric, input[expectedAs]!, expectedAs), expectedAs);
  if (calledAs === undefined) {
    const { [expectedAs]: _expected, ...record } = input;
    if (Object.keys(record).every((key) => likelyName(key, CALLED)))
      throw new Error(
        '/input/called is missing: the calls that were made, or ' +
          `[].${suggestMisspelt(input, [...CALLED, ...EXPECTED])} ${describeExample(metric)}`,
      );
    return { ...recordedCalls(record, ''), expected };
  }
  const others = Object.keys(input).filter((key) => key !== calledAs && key !== expectedAs);
  const isTestCase =
    others.length > 0 && others.some((key) => DEEPEVAL.has(key)) && calledAs !== 'called' && expectedAs !== 'expected';
  if (!isTestCase) rejectUnknownKeys(input, new Set([calledAs, expectedAs]), 'the input');
  const made = input[calledAs]!;
  if (!isTestCase && (isObject(made) || (Array.isArray(made) && made.length > 0 && made.every(isMessage))))
    return { ...recordedCalls(made, calledAs), expected };
  return { called: listOfCalls(metric, made, calledAs), expected, ...(isTestCase && { readAs: 'deepeval.test_case' }) };
}

/** Every DeepEval test case has some of these fields. Toolmark's inputs have none of them. */
const DEEPEVAL = new Set(['input', 'actual_output', 'actualOutput', 'expected_output', 'expectedOutput']);
/** Fields that occur together in agentevals data: its own, those of LangSmith's examples, and those of its results. */
const AGENTEVALS = new Set([
  'outputs',
  ...REFERENCE_OUTPUTS,
  'inputs',
  'input',
  'id',
  'name',
  'key',
  'score',
  'comment',
  'metadata',
  'attachments',
]);

function recordedCalls(record: Json, at: string): Pick<Sides, 'called' | 'readAs'> {
  const { rounds, readAs } = withPath(at, () => readRecorded(record));
  return { called: callsMade(rounds), ...foreignShapes([readAs]) };
}

const ofAssistant = (messages: readonly JsonObject[]): JsonObject[] =>
  messages.filter(({ role = 'assistant' }) => role === 'assistant');

/** The calls of all assistant messages, in order, as a run reads them. */
const callsMade = (messages: readonly JsonObject[]): RecordedCall[] =>
  ofAssistant(messages).flatMap((message) => {
    const { calls: made } = parseReply(message, [], { whole: true });
    if (made.length === 0) return itemsIn(contentText(message.content));
    return made.map((call) => ({ name: call.name, arguments: call.arguments ?? unreadable(call.raw), source: {} }));
  });

/** Calls in a text in the form of response items: recognisable by their type, whichever tools there were. */
function itemsIn(text: string): RecordedCall[] {
  const { said } = splitThoughts(text.includes('"function_call"') ? text : '');
  return [...findJsonSpans(said)].flatMap(([start, end]) =>
    [jsonIn(said.slice(start, end)) ?? null].flat().flatMap((item): RecordedCall[] => {
      const isCall = isObject(item) && item.type === 'function_call' && typeof item.name === 'string';
      return isCall ? [{ name: item.name as string, arguments: item.arguments, source: item }] : [];
    }),
  );
}

const callsExpected = (messages: readonly JsonObject[], where: string): RecordedCall[] =>
  readable(
    ofAssistant(messages).flatMap(({ tool_calls: list }) =>
      (Array.isArray(list) ? list : []).map((one, index) => readCall(one, `tool_calls[${index}]`)),
    ),
    where,
  );

/** @throws Error if the arguments of an expected call are not JSON */
function readable<Calls extends RecordedCall[] | null>(list: Calls, where: string): Calls {
  for (const { name, arguments: given } of list ?? []) {
    if (typeof given === 'string' && jsonIn(given) === undefined)
      throw new Error(`/input/${where}: the arguments of "${shorten(name)}" are not JSON.`);
  }
  return list;
}

function listOfCalls({ takesNull }: Metric, list: Json, name: string): RecordedCall[] | null {
  if (list === null && takesNull) return null;
  if (!Array.isArray(list)) throw new Error(`/input/${name} must be a list of calls, [] where there are none.`);
  return list.map((call, index) => readCall(call, `/input/${name}[${index}]`));
}

/** Differs from any expected arguments, so that only the name of the call counts. */
const unreadable = (raw = ''): JsonObject => ({ '(unreadable)': raw });

const toNamed = ({ name, arguments: given }: ReadCall): JsonObject => ({
  name,
  ...(given !== undefined && { arguments: given }),
});

/** The arguments of a call. Text is parsed as JSON, because OpenAI writes arguments as JSON text. */
const argumentsOf = ({ arguments: given }: RecordedCall): Json | undefined =>
  typeof given === 'string' ? (jsonIn(given) ?? unreadable(given)) : given;

function jsonIn(text: string): Json | undefined {
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

// Metrics with their own field names.

function trajectories(input: JsonObject, metric: Metric): ReadInput {
  const reference = nameOf(input, REFERENCE_OUTPUTS);
  if (input.outputs !== undefined || reference !== undefined) {
    for (const [key, what] of [
      ['outputs', 'the messages of the run'],
      [reference ?? 'reference_outputs', 'those that were expected'],
    ] as const) {
      if (input[key] === undefined)
        throw new Error(
          `/input/${key} is missing: ${what}.` +
            `${suggestMisspelt(input, ['outputs', ...REFERENCE_OUTPUTS])} ${describeExample(metric)}`,
        );
    }
    const [outputs, wanted] = ['outputs', reference!].map((key) =>
      withPath(key, () => readMessages(requireList(input[key]!, key), key)),
    );
    rejectUnknownKeys(input, AGENTEVALS, 'the input');
    const isOther =
      reference !== 'reference_outputs' ||
      isObject(input.outputs) ||
      isObject(input[reference]) ||
      outputs!.words !== 'openai' ||
      Object.keys(input).length > 2;
    return {
      input: { outputs: outputs!.messages, reference_outputs: wanted!.messages },
      ...(isOther && { readAs: 'agentevals.outputs' }),
    };
  }
  const { called, expected, readAs } = sidesOf(input, metric);
  const message = (made: RecordedCall[] | null): JsonObject => ({
    role: 'assistant',
    ...(made?.length && { tool_calls: made.map((call) => toToolCall({ ...call, arguments: argumentsOf(call) })) }),
  });
  return {
    input: { outputs: [message(called)], reference_outputs: [message(expected)] },
    ...(readAs !== undefined && { readAs }),
  };
}

/**
 * promptfoo reads raw output by its own rules. Only whole documents are converted for it, because it cannot read those
 * at all.
 */
function names(input: JsonObject, metric: Metric): ReadInput {
  const { output, ...rest } = input;
  const expectedAs = nameOf(rest, EXPECTED);
  // Records of other tools also have an output, but along with other fields.
  const isOwn = output !== undefined && Object.keys(rest).every((key) => key === expectedAs);
  if (!isOwn && (expectedAs !== undefined || input.outputs !== undefined)) {
    const { called, expected, readAs } = sidesOf(input, metric);
    return {
      input: {
        output: (called ?? []).map(({ name }) => ({ name })),
        expected: (expected ?? []).map(({ name }) => name),
      },
      ...(readAs !== undefined && { readAs }),
    };
  }
  if (expectedAs === undefined) return { input };
  const expected =
    expectedAs === 'expected'
      ? rest.expected
      : listOfCalls(metric, rest[expectedAs]!, expectedAs)!.map(({ name }) => name);
  if (!isDocument(output)) return { input: { output, expected } };
  const { called, readAs } = recordedCalls(output!, 'output');
  return {
    input: { output: called!.map(({ name }) => ({ name })), expected },
    ...(readAs !== undefined && { readAs }),
  };
}

function bfcl(own: JsonObject): ReadInput {
  // OpenAI's tools wrap the function.
  if (Array.isArray(own.functions))
    own.functions = own.functions.map((one) => (isObject(one) && isObject(one.function) ? one.function : one));
  const isItem = isObject(own.model_output) && own.model_output.type === 'function_call';
  if (!isItem && !isDocument(own.model_output)) return { input: own };
  const { rounds, readAs } = withPath('model_output', () => readRecorded(own.model_output));
  const made = rounds.flatMap((round) => parseReply(round, [], { whole: true }).calls);
  return {
    input: {
      ...own,
      model_output: made.map((call) => ({ [call.name]: call.arguments ?? {} })),
      decode_failed: own.decode_failed === true || made.some((call) => call.arguments === null),
    },
    ...foreignShapes([readAs]),
  };
}

const CONTAINERS = [
  'choices',
  'candidates',
  'output',
  'messages',
  'user_input',
  'outputs',
  'tools_called',
  'toolsCalled',
  'error',
  'generations',
  'custom_id',
];
/** Whether a value is a document that contains a model's output, rather than the output itself. */
const isDocument = (value: Json | undefined): boolean =>
  (isObject(value) &&
    (value.type === 'message' || CONTAINERS.some((key) => value[key] !== undefined && value[key] !== null))) ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => isMessage(one) && one.type !== 'message'));

// Field names.

/** @throws Error if the input has the same field under two names */
function nameOf(input: JsonObject, synonyms: readonly string[]): string | undefined {
  const given = synonyms.filter((name) => input[name] !== undefined);
  if (given.length > 1)
    throw new Error(
      `The input holds "${given.join('" and "')}", which are one field by two names: leave one of them out.`,
    );
  return given[0];
}

function renamed(input: JsonObject, fields: Record<string, readonly string[]>): JsonObject {
  const read = { ...input };
  for (const [own, synonyms] of Object.entries(fields)) {
    const given = nameOf(input, synonyms);
    if (given === undefined || given === own) continue;
    read[own] = input[given]!;
    delete read[given];
  }
  return read;
}

/** Suggests an unknown field that may be meant as the missing one. */
function suggestMisspelt(input: JsonObject, known: readonly string[]): string {
  const unknown = Object.keys(input).filter((key) => !known.includes(key));
  return unknown.length
    ? ` "${shorten(unknown[0]!)}" is not a field of it. ${suggestNames(unknown[0]!, known, 'its fields')}`
    : '';
}

const foreignShapes = (shapes: readonly string[]): { readAs?: string } => {
  const others = [...new Set(shapes.filter(isForeign))];
  return others.length ? { readAs: others.join(', ') } : {};
};

/** Adds the path of the value to an error from `read`. */
function withPath<Read>(place: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw new Error(`/input${place && `/${place}`}: ${(error as Error).message}`, { cause: error });
  }
}
