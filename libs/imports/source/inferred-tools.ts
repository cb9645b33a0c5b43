import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import { MAX_TOOL_PROPERTIES, ToolName, type Tool } from '#lib/contracts/tool';
import { matcherOf } from '#lib/scoring/arguments/matchers';
import type { Warnings } from './warnings.js';

interface InferredParameter {
  calls: number;
  parameters: Map<string, { types: Set<string>; given: number }>;
}

/** Infers undeclared tools from the known calls to them. */
export class InferredTools {
  readonly #guesses = new Map<string, InferredParameter>();
  readonly #made = new Map<string, Tool>();

  addCall(name: string, params: JsonObject = {}): void {
    const guess = this.#guesses.get(name) ?? { calls: 0, parameters: new Map() };
    this.#guesses.set(name, guess);
    guess.calls++;
    this.#made.delete(name);
    for (const [key, value] of Object.entries(params)) {
      // One parameter above the limit is enough to detect that there are too many.
      if (guess.parameters.size > MAX_TOOL_PROPERTIES && !guess.parameters.has(key)) continue;
      const parameter = guess.parameters.get(key) ?? { types: new Set<string>(), given: 0 };
      guess.parameters.set(key, parameter);
      const matcher = matcherOf(value);
      if (matcher !== '$optional' && matcher !== '$absent') parameter.given++;
      parameter.types.add(typeOf(value));
    }
  }

  addCase(input: JsonObject): void {
    const { expected_tool, expected_params, expected_calls, valid_prerequisites, mock_responses } = input;
    const { goal, tools } = isObject(input.conversation) ? input.conversation : {};
    const { calls: goalCalls, forbidden_calls } = isObject(goal) ? goal : {};
    const calls = [
      { tool: expected_tool ?? null, params: expected_params ?? {} },
      ...[expected_calls, goalCalls, forbidden_calls].flatMap((list) => (Array.isArray(list) ? list : [])),
    ];
    for (const call of calls) {
      if (!isObject(call)) continue;
      for (const name of [call.tool ?? []].flat())
        if (typeof name === 'string') this.addCall(name, isObject(call.params) ? call.params : {});
    }
    const others = [
      ...(Array.isArray(valid_prerequisites) ? valid_prerequisites : []),
      ...[mock_responses, tools].flatMap((byName) => (isObject(byName) ? Object.keys(byName) : [])),
    ];
    for (const name of others) if (typeof name === 'string' && !this.#guesses.has(name)) this.addCall(name);
  }

  has = (name: string): boolean => this.#guesses.has(name);

  tool(name: string): Tool {
    const made = this.#made.get(name) ?? toolOf(name, this.#guesses.get(name)!);
    this.#made.set(name, made);
    return made;
  }

  /** Returns all inferred tools. Names that differ only in case are the same name, as everywhere. */
  list(warnings: Warnings): Tool[] {
    const seen = new Set<string>();
    const names = [...this.#guesses.keys()].filter(
      (name) => ToolName.safeParse(name).success && seen.size < seen.add(name.toLowerCase()).size,
    );
    if (names.length)
      warnings.addForFile(
        `The file does not describe its tools: ${names.length} ${names.length === 1 ? 'is' : 'are'} ` +
          'made of the calls in it ' +
          `(${names.slice(0, 10).join(', ')}${names.length > 10 ? ', ...' : ''}). Their parameters are ` +
          'guessed, and they have no descriptions. Describe them, or send "tools" with the file.',
      );
    return names.map((name) => this.tool(name));
  }
}

function toolOf(name: string, { calls, parameters }: InferredParameter): Tool {
  const properties = Object.fromEntries(
    [...parameters].map(([key, { types }]): [string, JsonObject] => [
      key,
      types.size === 1 && !types.has('any') ? { type: [...types][0]! } : {},
    ]),
  );
  const required = [...parameters].flatMap(([key, { given }]) => (given === calls ? [key] : []));
  return {
    type: 'function',
    function: { name, parameters: { type: 'object', properties, ...(required.length && { required }) } },
  };
}

function typeOf(value: Json): string {
  const matcher = matcherOf(value);
  if (matcher === '$optional') return typeOf((value as JsonObject).$optional!);
  if (matcher === '$one_of') return typeOf([(value as JsonObject).$one_of!].flat()[0] ?? null);
  if (matcher === '$approx') return 'number';
  if (matcher === '$contains') return 'string';
  if (matcher === '$literal') return typeOfPlain((value as JsonObject).$literal!);
  return matcher ? 'any' : typeOfPlain(value);
}

function typeOfPlain(value: Json): string {
  if (value === null) return 'any';
  if (isNumber(value)) return /^-?\d+$/.test(numberSource(value)) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}
