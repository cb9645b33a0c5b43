import { z } from 'zod';
import type { CaseInput } from '#lib/contracts/case';
import type { ConversationEnd, PlayedRound } from '#lib/contracts/conversation-played';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { jsonObject, type Tool } from '#lib/contracts/tool';
import type { Bound } from '#lib/contracts/verdict';
import type { SimilarityLookup } from '../arguments/compare-leaves.js';
import type { ParsedReply } from '../replies/parse-reply.js';

/** The score of a metric for one input. Other fields are those of the reference (`valid`, `tp`, ...). */
export interface MetricScore {
  score: number | null;
  [field: string]: unknown;
}

/** The complete definition of a metric: `GET /api/metrics` lists it, runs and `toolmark score` compute it. */
export type Metric<Options extends z.ZodObject = z.ZodObject, Input extends z.ZodType = z.ZodType> = {
  id: string;
  reference: string;
  version: string;
  meaning: string;
  /** A strict object with defaults. */
  options: Options;
  /** Converts an option value that the reference accepts although its documentation does not list it. */
  readOption?(name: string, value: Json): Json;
  /** A strict schema with Toolmark's names. */
  input: Input;
  /** A valid input, with options if they make the example clearer. */
  example: { options?: JsonObject; input: JsonObject };
  /** Pure: no I/O, no clock, no randomness. */
  score(input: z.output<Input>, options: z.output<Options>, similarities?: SimilarityLookup): MetricScore;
  /** The reference's names for fields of the input, by Toolmark's names, which are tried first. */
  fields?: Record<string, readonly string[]>;
  /** The reader of libs/recorded that finds the input in records of providers and other tools. */
  records?: 'reply' | 'rounds' | 'calls' | 'messages' | 'names' | 'bfcl';
  /** Converts a call to the form of the input; `NamedCall` if omitted. */
  toCall?(call: ReadCall): JsonObject;
  /** Whether the reference accepts null for an empty list of calls. */
  takesNull?: boolean;
} & (
  | { fromCase(played: PlayedCase, options: z.output<Options>): MetricInput; notInRuns?: undefined }
  /** Why runs do not support it, and what to use instead. */
  | { notInRuns: string; fromCase?: undefined }
);

/** A case with the replies to it: one round for a single turn, all rounds for a chain. */
export interface PlayedCase {
  case: CaseInput;
  tools: readonly Tool[];
  rounds: readonly { message: unknown; reply: ParsedReply }[];
  /** How a conversation was played; without it, its rules say how it would have been. */
  played?: { rounds: readonly PlayedRound[]; end: ConversationEnd; bound?: Bound };
  similarities?: SimilarityLookup;
}
/** The input of a metric, or the score itself where the played case has more than an input can say. */
export type MetricInput = { input: unknown } | { score: MetricScore } | { notApplicable: string };

/** A call from a record. `source` has its other fields. */
export interface ReadCall {
  name: string;
  arguments?: Json;
  source: JsonObject;
}

export const metric = <Options extends z.ZodObject, Input extends z.ZodType>(of: Metric<Options, Input>): Metric => ({
  ...of,
  score: (input, options, similarities) =>
    of.score(readInput(of, input) as z.output<Input>, options as z.output<Options>, similarities),
});

/** @throws Error that names each wrong field, and shows an example of the input */
function readInput(of: Pick<Metric, 'id' | 'input' | 'example'>, input: unknown): unknown {
  const parsed = of.input.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = toInputErrors(parsed.error.issues);
  const isShape = faults.some(({ path }) => path.lastIndexOf('/') <= 0);
  const messages = faults.map(({ path, message }) => `/input${path} ${message}`).join('; ');
  throw new Error(`${messages}${/[.?]$/.test(messages) ? '' : '.'}${isShape ? ` ${describeExample(of)}` : ''}`);
}

/** A sentence with an example of a metric's input. */
export const describeExample = ({ id, example }: Pick<Metric, 'id' | 'example'>): string =>
  `The input of ${id}, for example: ${JSON.stringify(example.input)}`;

/** A call in the form that most public metrics accept. */
export const NamedCall = z.strictObject({ name: z.string(), arguments: jsonObject.nullish() });
export type NamedCall = z.infer<typeof NamedCall>;

export const NO_OPTIONS = z.strictObject({});
export const flag = (fallback: boolean, description: string) => z.boolean().default(fallback).meta({ description });
export const threshold = (fallback: number, description: string) => z.number().default(fallback).meta({ description });
export const json = z.unknown() as z.ZodType<Json>;
export const requiredJson = json.refine((value) => value !== undefined, 'is missing');
export const calledMeta = { description: 'The calls that were made, in order.' };
export const expectedMeta = { description: 'The calls that were expected.' };
export const CallsAndExpected = z.strictObject({
  called: z.array(NamedCall).meta(calledMeta),
  expected: z.array(NamedCall).meta(expectedMeta),
});

/** Calls of the examples. */
export const PARIS_CALL = { name: 'weather', arguments: { city: 'Paris' } };
export const ROME_CALL = { name: 'weather', arguments: { city: 'Rome' } };
export const replyWith = (...calls: { name: string; arguments: JsonObject }[]): JsonObject => ({
  role: 'assistant',
  tool_calls: calls.map((call) => ({ function: { ...call, arguments: JSON.stringify(call.arguments) } })),
});
