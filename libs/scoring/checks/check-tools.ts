import type { ErrorObject, ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
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
import { wordSet } from '#lib/contracts/word-set';
import { compileBy, draftsOf, newCompiler, type Draft } from './schema-draft.js';
import { findReferenceCycle } from './schema-walk.js';

/** Arguments with more values are not compared with the schema. */
const MAX_VALUES = 50_000;

/** Finds the errors in the tools of a suite. Paths are pointers into the array. */
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
 * Cached faults of recent tools, by their JSON, limited by total characters. The same tools recur with each case and
 * each line of recorded calls.
 */
const known = new LRUCache<string, InputError[]>({ maxSize: 2 ** 20, sizeCalculation: (_faults, text) => text.length });

/** Finds the errors of one tool on its own. Paths are pointers into it. */
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
      'refers to itself without descending into a value, so it never ends: ' +
        `${circle.join(' -> ')}. Put the reference under "properties" or "items", or take it out.`,
    );
  }
  if (isSurelyValid(parameters)) return [];
  const validate = validatorFor(parameters);
  return validate instanceof Error ? wrong('', `is not a valid JSON Schema: ${withoutRepeats(validate.message)}`) : [];
}

const INVALID = 'schema is invalid: ';
/** Ajv repeats the same message for every branch of its meta-schemas. */
const withoutRepeats = (message: string): string =>
  message.startsWith(INVALID) ? INVALID + [...new Set(message.slice(INVALID.length).split(', '))].join(', ') : message;

/** Keywords that always compile if the meta-schema accepts their values. Others may contain references or patterns. */
const PLAIN = wordSet(
  'type title description default examples const required format minimum maximum exclusiveMinimum exclusiveMaximum',
  'multipleOf minLength maxLength minItems maxItems minProperties maxProperties',
);

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

/**
 * Checks a schema only against the meta-schema of the newest draft, because compiling it takes ten times as long. A
 * schema that is valid in the newest draft is never rejected.
 */
function isSurelyValid(parameters: JsonObject): boolean {
  const { $schema: _schema, ...schema } = parameters;
  return isPlain(schema) && sharedCompiler('2020-12').validateSchema(unwrapAllNumbers(schema) as JsonObject) === true;
}

const MAX_KEPT_VALIDATORS = 250;
const MAX_KEPT_CHARACTERS = 2 ** 20;
/**
 * Validators by the text of their schemas. An Ajv keeps part of each schema that it compiled, and each validator keeps
 * its Ajv alive, so they are all released together.
 */
const newSharedCache = () => ({
  compilers: new Map<Draft, ReturnType<typeof newCompiler>>(),
  validators: new Map<string, ValidateFunction | Error>(),
  length: 0,
});
let sharedCache = newSharedCache();

function sharedCompiler(draft: Draft) {
  let compiler = sharedCache.compilers.get(draft);
  if (!compiler) sharedCache.compilers.set(draft, (compiler = newCompiler(draft)));
  return compiler;
}

/** The validator of a tool's arguments, or the error that prevents one. */
function validatorFor(parameters: JsonObject): ValidateFunction | Error {
  const text = JSON.stringify(parameters);
  let validate = sharedCache.validators.get(text);
  if (validate) return validate;
  if (sharedCache.validators.size >= MAX_KEPT_VALIDATORS || sharedCache.length >= MAX_KEPT_CHARACTERS)
    sharedCache = newSharedCache();
  validate = compile(unwrapAllNumbers(parameters) as JsonObject);
  sharedCache.length += text.length;
  sharedCache.validators.set(text, validate);
  return validate;
}

/** Compiles a schema with the first draft in which it is valid. The error is that of the most likely draft. */
function compile(schema: JsonObject): ValidateFunction | Error {
  const errors: Error[] = [];
  for (const draft of draftsOf(schema))
    try {
      return compileBy(draft, schema, () => sharedCompiler(draft));
    } catch (error) {
      errors.push(error as Error);
    }
  return errors[0]!;
}

type SchemaProblem = NonNullable<Evidence['schema']>[number];

const validatorOf = memoize(({ function: { parameters } }: Tool): ValidateFunction | null => {
  const validate = parameters && validatorFor(parameters);
  return validate instanceof Error ? null : (validate ?? null);
});

/**
 * Validates arguments. A schema with endless self-references overflows the stack. Such schemas are rejected now but may
 * have been stored earlier, so their arguments count as valid.
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

/** The errors of arguments against a tool's schema. Empty if the schema is invalid. */
export function schemaErrors(tool: Tool, args: JsonObject): SchemaError[] {
  const validate = validatorOf(tool);
  return validate && !isValid(validate, unwrapAllNumbers(args)) ? [...(validate.errors ?? [])] : [];
}

/**
 * Checks a call's arguments against the schema of the called tool. This is a diagnosis and not part of the score. It
 * skips arguments with more than 50,000 values.
 */
export function checkArguments(tool: Tool, args: JsonObject, called: number): SchemaProblem[] {
  const validate = validatorOf(tool);
  const problems: SchemaProblem[] = [];
  if (hasMoreValuesThan(args, MAX_VALUES)) return problems;
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
