import type { CaseInput, ScoringConfig } from '#lib/contracts/case';
import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { RunMetric } from '#lib/contracts/metric';
import type { Tool } from '#lib/contracts/tool';
import { expandedLength } from '../checks/schema-walk.js';
import { expectedCalls } from './score-case.js';

/*
 * What may be scored where it stands: whose worst case is a few milliseconds, by sizes alone. Sizes are characters. The figures
 * were found by trying the worst of each kind; ordinary replies are a tenth of them.
 */
const MOST_CALLS = 20;
const MOST_CONTENT = 64 * 1024;
/** Names and arguments of all calls together, or text that is searched for them. */
const MOST_CALLED = 16 * 1024;
const MOST_COMPARED = 400_000;
/**
 * Steps of the ratio of two texts: k texts of up to a characters beside texts of up to b take k * a * b * min(a, b)
 * at worst.
 */
const MOST_FUZZY_STEPS = 1_000_000;
/** Characters of patterns times characters that they are searched in. */
const MOST_PATTERN_STEPS = 50_000;
/** Of a tool's schema, which is compiled once; and times the characters of the arguments. */
const LONGEST_SCHEMA = 4000;
const MOST_SCHEMA_STEPS = 3_000_000;

/** What there is to know of a case before any reply. */
interface CaseSizes {
  expected: number;
  /** Characters of all expected arguments. */
  length: number;
  texts: number;
  longestText: number;
  fuzzy: boolean;
  patterns: boolean;
  /** Of what decides about the answers of a chain's tools. */
  mocks: number;
}

const sizesOf = memoize((input: CaseInput): CaseSizes => {
  const expected = expectedCalls(input);
  const params = expected.flatMap((call) => call.params ?? []);
  const written = JSON.stringify(params);
  const configs = [input.scoring_config, ...expected.map((call) => call.scoring_config)];
  const modes = new Set([input.param_scoring, ...configs.flatMap(modesOf)]);
  const strings = [...params].flatMap(stringsIn);
  return {
    expected: expected.length,
    length: written.length,
    texts: strings.length,
    longestText: Math.max(0, ...strings),
    fuzzy: modes.has('fuzzy'),
    patterns: modes.has('regex') || written.includes('"$regex"'),
    mocks: input.multi_turn ? JSON.stringify(input.mock_responses ?? null).length : 0,
  };
});

const modesOf = (config: ScoringConfig | null | undefined) => [
  config?.mode,
  ...Object.values(config?.params ?? {}).map((rule) => rule.mode),
];

/** The lengths of the texts in a value. */
const stringsIn = (value: Json): number[] =>
  typeof value === 'string'
    ? [value.length]
    : Array.isArray(value) || isObject(value)
      ? Object.values(value).flatMap(stringsIn)
      : [];

const schemaLength = memoize(({ function: { parameters } }: Tool): number => {
  try {
    return parameters ? expandedLength(parameters) : 0;
  } catch {
    return Infinity; // its references follow one another for as long as the stack lasts
  }
});

const namedTools = memoize(
  (tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool])),
);

/** What a reply may make the scoring do. */
interface ReplySizes {
  calls: number;
  called: number;
  /** The longest schema of a tool that is called, or may be. */
  schema: number;
}

/** @returns undefined when the reply is large */
function measureReply(
  { content, tool_calls: calls, function_call: old }: JsonObject,
  tools: readonly Tool[],
): ReplySizes | undefined {
  const sizes: ReplySizes = { calls: 0, called: 0, schema: 0 };
  const made = Array.isArray(calls) ? calls : isObject(old) ? [old] : [];
  if (made.length > MOST_CALLS) return undefined;
  let named = true;
  for (const call of made) {
    const body = isObject(call) && isObject(call.function) ? call.function : call;
    if (!isObject(body)) continue;
    const name = typeof body.name === 'string' ? body.name : '';
    sizes.calls++;
    sizes.called += name.length + approximateJsonLength(body.arguments);
    if (sizes.called > MOST_CALLED) return undefined;
    const tool = namedTools(tools).get(name.toLowerCase());
    if (tool) sizes.schema = Math.max(sizes.schema, schemaLength(tool));
    named &&= !name.trimStart().startsWith('{');
  }
  if (content !== undefined && content !== null) {
    const length = approximateJsonLength(content);
    if (length > MOST_CONTENT) return undefined;
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    if (sizes.calls === 0 && text.includes('name')) {
      if (length > MOST_CALLED) return undefined;
      named = false;
      sizes.called += length;
      sizes.calls = text.split('name').length;
    }
  }
  if (!named) for (const tool of tools) sizes.schema = Math.max(sizes.schema, schemaLength(tool));
  return sizes;
}

/** About the length of a value's JSON, or some length beyond `most`. */
export function approximateJsonLength(value: Json | undefined, most = MOST_CONTENT): number {
  if (typeof value === 'string') return value.length;
  if (isNumber(value)) return numberSource(value).length;
  if (typeof value !== 'object' || value === null) return 5;
  let length = 2;
  if (Array.isArray(value)) {
    if (value.length > most) return value.length;
    for (const item of value) if ((length += 1 + approximateJsonLength(item, most - length)) > most) break;
    return length;
  }
  for (const key in value)
    if ((length += key.length + 3 + approximateJsonLength(value[key], most - length)) > most) break;
  return length;
}

/** Whether reading and scoring what was answered takes a few milliseconds at worst. */
export function isCheapToScore(
  { input, tools }: { input: CaseInput; tools: readonly Tool[] },
  messages: readonly JsonObject[],
  metrics: readonly RunMetric[],
): boolean {
  let [calls, called, schema] = [0, 0, 0];
  for (const message of messages) {
    const sizes = measureReply(message, tools);
    if (!sizes) return false;
    [calls, called, schema] = [calls + sizes.calls, called + sizes.called, Math.max(schema, sizes.schema)];
  }
  if (calls > MOST_CALLS || called > MOST_CALLED) return false;
  if (schema > LONGEST_SCHEMA || schema * called > MOST_SCHEMA_STEPS) return false;
  const of = sizesOf(input);
  const length = of.length + of.mocks;
  if (calls * length + Math.max(1, of.expected) * called > MOST_COMPARED) return false;
  if (of.fuzzy && of.texts * of.longestText * called * Math.min(of.longestText, called) > MOST_FUZZY_STEPS)
    return false;
  // A pattern may ask for a thousand repetitions.
  if ((of.patterns || of.mocks > 0) && length * called > MOST_PATTERN_STEPS) return false;
  return metrics.length === 0 || areCheap(metrics, of, calls, called);
}

function areCheap(metrics: readonly RunMetric[], of: CaseSizes, calls: number, called: number): boolean {
  if (called > 2000 || of.length > 2000 || calls > 8 || of.expected > 8) return false;
  return metrics.every(
    ({ id, options }) => !id.startsWith('toolmark.') && options.parameter_matching_strategy !== 'fuzzy',
  );
}
