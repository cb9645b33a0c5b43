import { isNumber, isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { expectedArguments } from '#lib/scoring/arguments/matchers';

/** The calls that a test's assertions expect. */
export interface CallExpectations {
  calls: { tool: string; params?: JsonObject }[];
  order: 'any' | 'strict';
  /** At least one call, to any tool. */
  any: boolean;
  /** No call at all. */
  none: boolean;
}

type Warn = (message: string) => void;

/**
 * Reads what assertions expect of the calls. Returns undefined if none of them is about calls. Calls `warn` for any
 * other expectation.
 */
export function readExpectations(assertions: readonly Json[], warn: Warn): CallExpectations | undefined {
  const expectations: CallExpectations = { calls: [], order: 'any', any: false, none: false };
  for (const assertion of assertions) if (isObject(assertion)) readOne(assertion, expectations, warn);
  if (expectations.calls.some(({ tool }) => tool === '')) {
    warn('asserts arguments of a call whose tool it does not name');
    return undefined;
  }
  if (expectations.none && expectations.calls.length) {
    warn('asserts calls and the absence of calls at once');
    return undefined;
  }
  return expectations.calls.length || expectations.any || expectations.none ? expectations : undefined;
}

function readOne({ type, value, threshold, assert }: JsonObject, expectations: CallExpectations, warn: Warn): void {
  if (type === 'assert-set' && Array.isArray(assert)) {
    if (threshold !== undefined)
      warn('the threshold of an assert-set is not converted: all of its assertions are expected');
    for (const inner of assert) if (isObject(inner)) readOne(inner, expectations, warn);
    return;
  }
  switch (type) {
    case 'is-valid-openai-tools-call':
    case 'is-valid-openai-function-call':
    case 'is-valid-function-call':
      expectations.any = true;
      return;
    case 'not-is-valid-openai-tools-call':
    case 'not-is-valid-openai-function-call':
    case 'not-is-valid-function-call':
      expectations.none = true;
      return;
    case 'tool-call-f1': {
      if (isNumber(threshold ?? null) && Number(JSON.stringify(threshold)) < 1)
        warn('tool-call-f1 with a threshold below 1: all of its tools are expected here');
      for (const name of namesOf(value)) call(expectations, name);
      return;
    }
    case 'trajectory:tool-used': {
      const least = isObject(value) && isNumber(value.min ?? null) ? Number(JSON.stringify(value.min)) : 1;
      if (isObject(value) && value.max !== undefined) warn('"max" of trajectory:tool-used is not converted');
      for (const name of namesOf(value))
        for (let n = 0; n < Math.min(least, 20); n++) expectations.calls.push({ tool: checked(name, warn) });
      return;
    }
    case 'trajectory:tool-sequence': {
      const steps = isObject(value) ? (value.steps ?? []) : (value ?? []);
      expectations.calls = namesOf(steps).map((name) => ({ tool: checked(name, warn) }));
      expectations.order = 'strict';
      return;
    }
    case 'trajectory:tool-args-match': {
      if (!isObject(value)) return;
      const params = value.args ?? value.arguments;
      if (value.mode === 'exact')
        warn('trajectory:tool-args-match is "exact": arguments beyond the expected ones cost nothing here');
      for (const name of namesOf(value))
        expect(expectations, checked(name, warn), isObject(params) ? expectedArguments(params) : {});
      return;
    }
    case 'javascript':
      if (typeof value === 'string' && readJavascript(value, expectations)) return;
  }
  warn(
    `the assertion ${JSON.stringify(type ?? null)} is not ` +
      `converted${typeof value === 'string' ? `: ${value.slice(0, 80)}` : ''}`,
  );
}

/** Reads names from `a, b`, a list of names, or objects that each hold a name. */
function namesOf(value: Json | undefined): string[] {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  if (Array.isArray(value))
    return value.flatMap((entry) => (typeof entry === 'string' ? [entry.trim()] : namesOf(entry)));
  if (!isObject(value)) return [];
  return typeof value.name === 'string'
    ? [value.name]
    : typeof value.pattern === 'string'
      ? [value.pattern]
      : namesOf(value.tools ?? value.names ?? []);
}

function checked(name: string, warn: Warn): string {
  if (/[*?]/.test(name)) warn(`"${name}" is a pattern; a case names its tool`);
  return name;
}

function call(expectations: CallExpectations, tool: string): void {
  if (!expectations.calls.some((one) => one.tool === tool)) expectations.calls.push({ tool });
}

/** If a call to the tool is already expected without arguments, these arguments belong to it. */
function expect(expectations: CallExpectations, tool: string, params: JsonObject): void {
  const before = expectations.calls.find((one) => one.tool === tool && !one.params);
  if (before) before.params = params;
  else expectations.calls.push({ tool, params });
}

/** Longer code is not a comparison that someone wrote into an assertion. */
const MAX_CODE_LENGTH = 20_000;
const NAME = /output(?:\.tool_calls)?\[(\d+)\](?:\.function)?\.name\s*={2,3}\s*(['"`])([\w.-]+)\2/g;
const PARSED_ARGUMENTS = /JSON\.parse\(\s*output(?:\.tool_calls)?\[(\d+)\]\.function\.arguments\s*\)/;
const PROPERTY = /(?:\.(\w+)|\[(?<quote>['"])(.{1,200}?)\k<quote>\])/;
const LITERAL = /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null)/;
const ARGUMENT = new RegExp(`${PARSED_ARGUMENTS.source}${PROPERTY.source}\\s*={2,3}\\s*${LITERAL.source}`, 'g');

/**
 * Reads comparisons of a call's name and arguments, joined by `&&`, as in promptfoo's own examples. Returns false for
 * any other code.
 */
function readJavascript(code: string, expectations: CallExpectations): boolean {
  if (code.length > MAX_CODE_LENGTH) return false;
  const rest = code
    .replace(NAME, '')
    .replace(ARGUMENT, '')
    .replace(/&&|\breturn\b|[\s;()]/g, '');
  if (rest !== '') return false;
  for (const [, index, , name] of code.matchAll(NAME)) at(expectations, Number(index)).tool = name!;
  for (const [, index, plain, , quoted, literal] of code.matchAll(ARGUMENT)) {
    const one = at(expectations, Number(index));
    one.params = { ...one.params, [plain ?? quoted!]: literalOf(literal!) };
  }
  return true;
}

function at(expectations: CallExpectations, index: number): { tool: string; params?: JsonObject } {
  while (expectations.calls.length <= Math.min(index, 20)) expectations.calls.push({ tool: '' });
  return expectations.calls[Math.min(index, 20)]!;
}

const literalOf = (text: string): Json =>
  text.startsWith("'")
    ? parseJson(`"${text.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`)
    : parseJson(text);
