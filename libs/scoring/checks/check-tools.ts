import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import {
  isDeeperThan,
  isObject,
  unwrapAllNumbers,
  MAX_JSON_DEPTH,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import { jsonPointer, type InputError } from '#lib/contracts/input/problem';
import { findToolFault, findToolsFault, type Tool } from '#lib/contracts/tool';
import type { Evidence } from '#lib/contracts/verdict';
import { findReferenceCycle } from './schema-walk.js';

// Not strict: suites hold schemas with keywords of their authors' own, and formats are notes here, not rules.
// References are calls, not copies: copies of copies make code without end. `uniqueItems` compares each item of a
// list with each other one, which nobody waits for with a list of a million: it is not checked. The code is not
// optimised, which took as long as making it.
const newAjv = (): Ajv2020 =>
  new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    unicodeRegExp: false,
    addUsedSchema: false,
    inlineRefs: false,
    code: { optimize: false, regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
  }).removeKeyword('uniqueItems') as Ajv2020;

/**
 * A schema's pattern, in time linear in the text: a backtracking one could hold up a worker for hours. What RE2 lacks
 * (look-around, back-references) is not checked. @throws SyntaxError when it is no pattern in JavaScript either
 */
function linearPattern(pattern: string): { test(text: string): boolean } {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    new RegExp(pattern);
    return { test: () => true };
  }
}

/** Values in a call's arguments of which a diagnosis is made. */
const MOST_VALUES = 50_000;

/** What is wrong with the tools of a suite; paths are pointers into the array. */
export function checkTools(tools: readonly Tool[]): InputError[] {
  const errors: InputError[] = [];
  const seen = new Map<string, number>();
  tools.forEach((tool, index) => {
    const name = tool.function.name;
    const before = seen.get(name.toLowerCase());
    if (before !== undefined) {
      errors.push({
        path: `/${index}/function/name`,
        message:
          `"${name}" is also the name of tool ${before}. Names are compared ignoring case: give each ` +
          'tool a name of its own.',
      });
    }
    seen.set(name.toLowerCase(), index);
    errors.push(...faultsOf(tool).map(({ path, message }) => ({ path: `/${index}${path}`, message })));
  });
  const together = findToolsFault(tools);
  if (together) errors.push({ path: '', message: together });
  return errors;
}

/**
 * Of so many characters of tools is known what is wrong with them: they come again with each case that has them,
 * and with each line of recorded calls.
 */
const known = new LRUCache<string, InputError[]>({ maxSize: 2 ** 20, sizeCalculation: (_faults, text) => text.length });

/** What is wrong with a tool for itself; paths are pointers into it. */
function faultsOf(tool: Tool): InputError[] {
  if (isDeeperThan(tool, MAX_JSON_DEPTH)) return findFaults(tool);
  const text = JSON.stringify(tool);
  let faults = known.get(text);
  if (!faults) known.set(text, (faults = findFaults(tool)));
  return faults;
}

function findFaults(tool: Tool): InputError[] {
  const { name, parameters } = tool.function;
  if (parameters === undefined) return [];
  const wrong = (path: string, message: string): InputError[] => [{ path: `/function/parameters${path}`, message }];
  if (parameters.type !== undefined && parameters.type !== 'object')
    return wrong('/type', `must be "object": the parameters of "${name}" are named arguments.`);
  const fault = findToolFault(tool);
  if (fault) return [{ path: '', message: `"${name}" ${fault}.` }];
  const circle = findReferenceCycle(unwrapAllNumbers(parameters) as JsonObject);
  if (circle) {
    return wrong(
      '',
      'refers to itself without going down into a value, so that it never ends: ' +
        `${circle.join(' -> ')}. Put the reference under "properties" or "items", or take it out.`,
    );
  }
  if (isSurelyValid(parameters)) return [];
  const validate = validatorFor(parameters);
  return validate instanceof Error ? wrong('', `is not a valid JSON Schema: ${validate.message}`) : [];
}

/**
 * Keywords that compile whenever the meta-schema has nothing against their values; of the others some refer
 * elsewhere, or hold patterns.
 */
const PLAIN = new Set([
  'type',
  'title',
  'description',
  'default',
  'examples',
  'const',
  'required',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);

function isPlain(schema: Json): boolean {
  return (
    typeof schema === 'boolean' ||
    (isObject(schema) &&
      Object.entries(schema).every(([key, value]) => {
        if (key === 'properties') return isObject(value) && Object.values(value).every(isPlain);
        if (key === 'items' || key === 'additionalProperties') return isPlain(value);
        if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') return Array.isArray(value) && value.every(isPlain);
        return key === 'enum' ? Array.isArray(value) && value.length > 0 : PLAIN.has(key);
      }))
  );
}

/** Compiling a schema takes ten times as long as reading it by the meta-schema. */
function isSurelyValid(parameters: JsonObject): boolean {
  const { $schema: _schema, ...schema } = parameters;
  return isPlain(schema) && kept.ajv.validateSchema(unwrapAllNumbers(schema) as JsonObject) === true;
}

const MOST_KEPT = 250;
const LONGEST_KEPT = 2 ** 20;
/**
 * By the text of their schemas. An Ajv keeps something of each schema that it compiled, and each validator its Ajv:
 * they are let go of together.
 */
const newKept = () => ({ ajv: newAjv(), validators: new Map<string, ValidateFunction | Error>(), length: 0 });
let kept = newKept();

/** What checks arguments by a tool's schema, or why there is no such thing. */
function validatorFor(parameters: JsonObject): ValidateFunction | Error {
  const text = JSON.stringify(parameters);
  let validate = kept.validators.get(text);
  if (validate) return validate;
  if (kept.validators.size >= MOST_KEPT || kept.length >= LONGEST_KEPT) kept = newKept();
  try {
    validate = compile(unwrapAllNumbers(parameters) as JsonObject, kept.ajv);
  } catch (error) {
    validate = error as Error;
  }
  kept.length += text.length;
  kept.validators.set(text, validate);
  return validate;
}

function compile(schema: JsonObject, ajv: Ajv2020): ValidateFunction {
  // Two tools may carry the same $id; many carry the $schema of an older draft, which Ajv 2020 does not know; and
  // an $async schema would answer with a promise whose rejection nobody awaits.
  const { $id: _id, $schema: _schema, $async: _async, ...given } = schema;
  const rest = { $id: 'toolmark:parameters', ...given }; // without an id, "#" is found by nobody
  // What carries an id inside is known by it to all that the same Ajv compiles later: other teams' schemas among them.
  if (holdsId(given)) return newAjv().compile(rest);
  const validate = ajv.compile(rest);
  ajv.removeSchema(rest);
  return validate;
}

const holdsId = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(holdsId)
    : isObject(value) &&
      (typeof value.$id === 'string' ||
        typeof value.$anchor === 'string' ||
        typeof value.$dynamicAnchor === 'string' ||
        Object.values(value).some(holdsId));

type SchemaProblem = NonNullable<Evidence['schema']>[number];

const validatorOf = memoize(({ function: { parameters } }: Tool): ValidateFunction | null => {
  const validate = parameters && validatorFor(parameters);
  return validate instanceof Error ? null : (validate ?? null);
});

/**
 * A schema that goes round in circles ends with the stack: of such a one, stored before they were refused, nothing
 * is said.
 */
function isValid(validate: ValidateFunction, args: unknown): boolean {
  try {
    return validate(args) as boolean;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    validate.errors = null;
    return true;
  }
}

export function hasMoreValuesThan(value: Json, most: number): boolean {
  const todo: Json[] = [value];
  let found = 0;
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (++found + todo.length > most) return true;
    if (Array.isArray(one)) {
      if (found + todo.length + one.length > most) return true;
      todo.push(...one);
    } else if (isObject(one)) for (const key in one) todo.push(one[key]!);
  }
  return false;
}

export type SchemaError = Pick<
  ErrorObject<string, Record<string, unknown>>,
  'keyword' | 'instancePath' | 'schemaPath' | 'params' | 'message'
>;

/** What a tool's schema has against arguments; nothing where it is no schema. */
export function schemaErrors(tool: Tool, args: JsonObject): SchemaError[] {
  const validate = validatorOf(tool);
  return validate && !isValid(validate, unwrapAllNumbers(args)) ? [...(validate.errors ?? [])] : [];
}

/**
 * Compares a call's arguments with the called tool's schema: a diagnosis, no part of the score, and not made of
 * arguments of more than 50,000 values.
 */
export function checkArguments(tool: Tool, args: JsonObject, called: number): SchemaProblem[] {
  const validate = validatorOf(tool);
  const problems: SchemaProblem[] = [];
  if (hasMoreValuesThan(args, MOST_VALUES)) return problems;
  if (validate && !isValid(validate, unwrapAllNumbers(args))) {
    for (const error of (validate.errors ?? []).slice(0, 20)) {
      const { missingProperty, additionalProperty, unevaluatedProperty } = error.params as Record<
        string,
        string | undefined
      >;
      const key = missingProperty ?? additionalProperty ?? unevaluatedProperty;
      const path = error.instancePath + (key === undefined ? '' : jsonPointer([key]));
      problems.push({
        called,
        path,
        problem: KINDS[error.keyword] ?? 'other',
        message: error.message ?? error.keyword,
      });
    }
  }
  const declared = tool.function.parameters?.properties as JsonObject | undefined;
  for (const key of declared ? Object.keys(args) : []) {
    if (Object.hasOwn(declared!, key) || problems.length >= 20) continue;
    const path = jsonPointer([key]);
    if (problems.some((problem) => problem.path === path && problem.problem === 'undeclared_key')) continue;
    problems.push({ called, path, problem: 'undeclared_key', message: 'is not declared by the tool' });
  }
  return problems;
}
const KINDS: Record<string, SchemaProblem['problem']> = {
  required: 'missing_required',
  type: 'wrong_type',
  additionalProperties: 'undeclared_key',
  unevaluatedProperties: 'undeclared_key',
  enum: 'enum_violation',
  const: 'enum_violation',
};
