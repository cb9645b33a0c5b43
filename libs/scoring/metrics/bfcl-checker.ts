import { isNumber, isObject, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';
import { hasKey, pythonEqual, pythonType, type PythonType } from './python-values.js';

export interface BfclInput {
  category: string;
  functions: JsonObject[];
  model_output: Json;
  possible_answer: JsonObject[];
  underscore_to_dot: boolean;
  decode_failed: boolean;
}
/** Valid, or the reference's name for the error. */
export interface BfclVerdict {
  valid: boolean;
  error_type?: string;
}

/** The supported categories: single-turn ones of v3 and v4 whose answers are Python values. */
export const BFCL_CATEGORIES = [
  'simple',
  'simple_python',
  'multiple',
  'parallel',
  'parallel_multiple',
  'irrelevance',
  'relevance',
  'live_simple',
  'live_multiple',
  'live_parallel',
  'live_parallel_multiple',
  'live_irrelevance',
  'live_relevance',
] as const;

const VALID: BfclVerdict = { valid: true };
const wrong = (error_type: string): BfclVerdict => ({ valid: false, error_type });

/**
 * BFCL v4 AST checker: Python categories, and (ir)relevance.
 * @throws Error when the reference would crash
 */
export function bfclAst(input: BfclInput): BfclVerdict {
  const { category, model_output: output, possible_answer: answers } = input;
  if (/java/i.test(category)) throw new Error(`Category "${category}": only the Python categories are checked.`);
  const decoded = !input.decode_failed && output !== null && typeof output !== 'string';
  const calls = decoded && isCallShaped(output) ? output : null;
  if (category.includes('relevance')) {
    const empty = calls === null || calls.length === 0;
    return empty === category.includes('irrelevance')
      ? VALID
      : wrong(empty ? 'relevance_error:decoder_failed' : 'irrelevance_error:decoder_success');
  }
  if (!calls) return wrong(decoded ? 'ast_decoder:decoder_wrong_output_format' : 'ast_decoder:decoder_failed');
  if (category.includes('parallel')) return parallel(input, calls);
  if (category.includes('multiple')) {
    if (calls.length !== answers.length) return wrong('multiple_function_checker:wrong_count');
    const answer = firstOf(answers, 'possible answers');
    return simple(functionFor(input, answer), calls[0]!, answer, input.underscore_to_dot);
  }
  if (calls.length !== 1) return wrong('simple_function_checker:wrong_count');
  return simple(
    firstOf(input.functions, 'functions'),
    calls[0]!,
    firstOf(answers, 'possible answers'),
    input.underscore_to_dot,
  );
}

function firstOf(list: readonly JsonObject[], what: string): JsonObject {
  if (list[0]) return list[0];
  throw new Error(`BFCL expects ${what}, and there are none.`);
}

const isCallShaped = (output: Json): output is JsonObject[] =>
  Array.isArray(output) &&
  output.every((item) => isObject(item) && Object.keys(item).length === 1 && isObject(Object.values(item)[0]));

function functionFor(input: BfclInput, answer: JsonObject): JsonObject {
  const name = Object.keys(answer)[0];
  const found = input.functions.find((description) => description.name === name);
  if (!found) throw new Error(`No function "${name}" among the descriptions.`);
  return found;
}

/** Each answer takes the first call that passes, in order. */
function parallel(input: BfclInput, calls: JsonObject[]): BfclVerdict {
  if (calls.length !== input.possible_answer.length) return wrong('parallel_function_checker_no_order:wrong_count');
  const left = [...calls];
  for (const answer of input.possible_answer) {
    const description = functionFor(input, answer);
    const index = left.findIndex((call) => simple(description, call, answer, input.underscore_to_dot).valid);
    if (index < 0) return wrong('parallel_function_checker_no_order:cannot_find_match');
    left.splice(index, 1);
  }
  return VALID;
}

function simple(description: JsonObject, call: JsonObject, answer: JsonObject, underscoreToDot: boolean): BfclVerdict {
  const accepted = Object.values(answer)[0] as JsonObject;
  const name = underscoreToDot ? String(description.name).replaceAll('.', '_') : String(description.name);
  if (!hasKey(call, name)) return wrong('simple_function_checker:wrong_func_name');
  const given = call[name] as JsonObject;
  const { properties, required } = parametersOf(description);
  for (const param of required)
    if (!hasKey(given, String(param))) return wrong('simple_function_checker:missing_required');
  for (const [param, value] of Object.entries(given)) {
    if (!hasKey(properties, param) || !hasKey(accepted, param))
      return wrong('simple_function_checker:unexpected_param');
    const schema = properties[param]!;
    const verdict = parameter(isObject(schema) ? schema : {}, value, elements(accepted[param]!));
    if (!verdict.valid) return verdict;
  }
  for (const [param, values] of Object.entries(accepted)) {
    if (!hasKey(given, param) && !mayBeOmitted(values)) return wrong('simple_function_checker:missing_optional');
  }
  return VALID;
}

function parametersOf({ name, parameters }: JsonObject): { properties: JsonObject; required: Json[] } {
  if (!isObject(parameters) || !isObject(parameters.properties))
    throw new Error(`BFCL expects "parameters" with "properties" of the function ${JSON.stringify(name)}.`);
  return { properties: parameters.properties, required: elements(parameters.required ?? [], 'names in "required"') };
}

const mayBeOmitted = (values: Json): boolean =>
  typeof values === 'string' || (isObject(values) ? hasKey(values, '') : elements(values).includes(''));

const TYPES: Record<string, PythonType> = {
  string: 'str',
  integer: 'int',
  float: 'float',
  boolean: 'bool',
  array: 'list',
  tuple: 'list',
  dict: 'dict',
  any: 'str',
};

function typeNamed(name: Json | undefined): PythonType {
  const type = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (!type)
    throw new Error(`BFCL knows no type ${JSON.stringify(name)}. Its types: ${Object.keys(TYPES).join(', ')}.`);
  return type;
}

function parameter(schema: JsonObject, value: Json, accepted: Json[]): BfclVerdict {
  const type = typeNamed(schema.type);
  const nested =
    schema.type === 'array' || schema.type === 'tuple'
      ? typeNamed(isObject(schema.items) ? schema.items.type : undefined)
      : null;
  // Like Python, turns an int into a float if a float is declared, but only at the top level.
  const given = schema.type === 'float' && pythonType(value) === 'int' ? 'float' : pythonType(value);
  const answerType = typeOfFirst(accepted);
  let isVariable = answerType !== null && answerType !== type;
  if (given === type) {
    if (
      nested &&
      !accepted.some(
        (list) => !Array.isArray(list) || (value as Json[]).every((item) => elementFits(item, nested, list)),
      )
    )
      return wrong(accepted.length ? 'type_error:nested' : 'type_error:simple');
  } else if (answerType !== null && given === answerType) isVariable = true;
  else return wrong('type_error:simple');

  if (!isVariable) {
    if (type === 'dict') return dictVerdict(value as JsonObject, accepted);
    if (type === 'list' && nested === 'dict') return listOfDictsVerdict(value as Json[], accepted);
    if (type === 'str')
      return accepted.some((answer) => typeof answer === 'string' && standard(answer) === standard(value))
        ? VALID
        : wrong('value_error:string');
    if (type === 'list') {
      const list = (value as Json[]).map(standard);
      return accepted.map((answer) => elements(answer).map(standard)).some((answer) => pythonEqual(list, answer))
        ? VALID
        : wrong('value_error:list/tuple');
    }
  }
  const plain = given === 'float' && isNumber(value) ? toNumber(value) : value;
  return accepted.some((answer) => pythonEqual(plain, answer)) ? VALID : wrong('value_error:others');
}

function typeOfFirst(accepted: readonly Json[]): PythonType | null {
  const first = accepted.find((answer) => answer !== '');
  return first === undefined ? null : pythonType(first);
}

const elementFits = (item: Json, nested: PythonType, accepted: readonly Json[]): boolean => {
  const type = pythonType(item);
  return type === nested || type === typeOfFirst(accepted);
};

/** Strings are compared in lower case, without blanks and some punctuation. Everything else is compared unchanged. */
const standard = (value: Json): Json =>
  typeof value === 'string'
    ? value
        .replace(/[ ,./\-_*^]/g, '')
        .toLowerCase()
        .replaceAll("'", '"')
    : value;

/**
 * What Python iterates over: the elements of a list or the characters of a string. An object's keys are not acceptable
 * values.
 */
function elements(value: Json, what = 'acceptable values'): Json[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isObject(value) && Object.keys(value).length === 0) return [];
  throw new Error(`BFCL expects a list of ${what}, not ${JSON.stringify(value).slice(0, 100)}.`);
}

function dictVerdict(value: Json, accepted: readonly Json[]): BfclVerdict {
  let verdict = wrong('dict_checker:unclear');
  for (const answer of accepted) {
    if (answer === '') continue;
    verdict = oneDict(value, answer);
    if (verdict.valid) return verdict;
  }
  return verdict;
}

/** A missing key replaces any earlier error. */
function oneDict(value: Json, answer: Json): BfclVerdict {
  if (!isObject(value) || !isObject(answer))
    throw new Error(`BFCL expects an object, not ${JSON.stringify(isObject(value) ? answer : value).slice(0, 100)}.`);
  let verdict = VALID;
  for (const [key, item] of Object.entries(value)) {
    if (!hasKey(answer, key)) verdict = wrong('value_error:dict_key');
    else if (!elements(answer[key]!).some((option) => pythonEqual(standard(item), standard(option))))
      verdict = wrong('value_error:dict_value');
    if (!verdict.valid) break;
  }
  const missing = Object.entries(answer).some(([key, options]) => !hasKey(value, key) && !mayBeOmitted(options));
  return missing ? wrong('value_error:dict_key') : verdict;
}

function listOfDictsVerdict(value: readonly Json[], accepted: readonly Json[]): BfclVerdict {
  let verdict = wrong('list_dict_checker:unclear');
  for (const answer of accepted) {
    const options = elements(answer);
    verdict = options.length === value.length ? VALID : wrong('value_error:list_dict_count');
    for (let index = 0; index < value.length && verdict.valid; index++)
      verdict = dictVerdict(value[index]!, [options[index]!]);
    if (verdict.valid) return VALID;
  }
  return verdict;
}
