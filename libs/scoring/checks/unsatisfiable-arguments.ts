import { RE2JS } from 're2js';
import type { CaseInput } from '#lib/contracts/case';
import type { ExpectedCall, ScoringConfig, ScoringMode } from '#lib/contracts/scoring-config';
import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import { suggestNames, likelyName } from '#lib/contracts/input/nearest-names';
import { jsonPointer } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { hasMoreValuesThan, schemaErrors, type SchemaError } from './check-tools.js';
import { parseDateTime } from '../arguments/datetime.js';
import { declaredArguments } from '../arguments/declared-arguments.js';
import type { ComparisonRule } from '../arguments/compare-leaves.js';
import { isLeftOut, matchesExpected, ruleFor } from '../arguments/match-arguments.js';
import { matcherOf } from '../arguments/matchers.js';
import { commonForm, hasOtherForms } from '../arguments/text-form.js';
import { toolSetOf } from '../cases/tool-set.js';

/** The number of acceptable values that are tried. One valid value is enough. */
const MAX_VARIANTS = 30;
/** Expected arguments with more values are not checked. */
const MAX_VALUES = 5000;
const MAX_SHOWN_CHARACTERS = 80;
/** Keywords that may allow keys which the enclosing schema does not declare. */
const COMPOSING = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  'patternProperties',
];

/** An expected argument that no valid call can have. Describing it takes longer than finding it. */
export interface UnsatisfiableArgument {
  path: string;
  describe: () => string;
}

/**
 * Finds the expected arguments that no call can have if it follows the schema of its tool. Either the case has a typo
 * or the schema is wrong, and every model fails. A case may expect only some of the arguments, so missing arguments are
 * not reported. If the comparison accepts values other than the expected one, one valid value is enough. Paths are
 * pointers into the case.
 */
export function findUnsatisfiableArguments(input: CaseInput, suite: readonly Tool[]): UnsatisfiableArgument[] {
  const tools = new Map(toolSetOf(input, suite).map((tool) => [tool.function.name.toLowerCase(), tool]));
  const argumentsIn = (
    path: PropertyKey[],
    names: string | string[],
    params: JsonObject | null | undefined,
    config: ScoringConfig | null | undefined,
  ): UnsatisfiableArgument[] => {
    const accepted = params ? [names].flat().flatMap((name) => tools.get(name.toLowerCase()) ?? []) : [];
    const [fewest = []] = accepted
      .map((tool) => unsatisfiableIn(tool, params!, config, input.param_scoring))
      .sort((a, b) => a.length - b.length);
    return fewest.map((argument) => ({ ...argument, path: jsonPointer(path) + argument.path }));
  };
  const inList = (path: PropertyKey[], calls: readonly ExpectedCall[]): UnsatisfiableArgument[] =>
    calls.flatMap(({ tool, params, scoring_config: config }, index) =>
      argumentsIn([...path, index, 'params'], tool, params, config ?? input.scoring_config),
    );
  if (input.conversation) return inList(['conversation', 'goal', 'calls'], input.conversation.goal.calls ?? []);
  if (!input.expected_calls)
    return argumentsIn(['expected_params'], input.expected_tool ?? [], input.expected_params, input.scoring_config);
  return inList(['expected_calls'], input.expected_calls);
}

function unsatisfiableIn(
  tool: Tool,
  params: JsonObject,
  config: ScoringConfig | null | undefined,
  scoring: ScoringMode | undefined,
): UnsatisfiableArgument[] {
  return Object.entries(params).flatMap(
    ([key, wanted]) =>
      checkArgument(tool, key, wanted, ruleFor(key, config, scoring), config?.defaults !== 'strict') ?? [],
  );
}

function checkArgument(
  tool: Tool,
  key: string,
  wanted: Json,
  rule: ComparisonRule,
  defaultsCount: boolean,
): UnsatisfiableArgument | undefined {
  const { name, parameters } = tool.function;
  const properties = isObject(parameters?.properties) ? parameters.properties : {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  const fallback = isObject(property) ? property.default : undefined;
  if (matcherOf(wanted) === '$absent') {
    const isRequired = Array.isArray(parameters?.required) && parameters.required.includes(key);
    return isRequired && fallback === undefined && !isLeftOut(key, null, declaredArguments(tool))
      ? { path: jsonPointer([key]), describe: () => `"${name}" requires "${key}", which is expected to be absent.` }
      : undefined;
  }
  if (!parameters || isUndeclared(parameters, key))
    return {
      path: jsonPointer([key]),
      describe: () => unknownKey(`"${name}" has no parameter`, key, Object.keys(properties), 'its parameters'),
    };
  if (defaultsCount && fallback !== undefined && matchesExpected(wanted, fallback, rule)) return undefined;
  if (hasMoreValuesThan(wanted, MAX_VALUES)) return undefined;
  let first: UnsatisfiableArgument | undefined;
  for (const variant of variantsOf(wanted, rule, [key]).slice(0, MAX_VARIANTS)) {
    const errors = [
      ...undeclaredIn(parameters, { [key]: variant.value }, []),
      ...schemaErrors(tool, { [key]: variant.value }).filter((error) => concernsPath(parameters, error)),
    ];
    const fault = faultIn(errors, variant, rule);
    if (!fault) return undefined;
    first ??= {
      path: fault.instancePath || jsonPointer([key]),
      describe: () => describeFault(fault, variant, errors, name),
    };
  }
  return first;
}

/** An acceptable value, and for each place in it the expected value and the comparison. */
interface Variant {
  value: Json;
  nodes: Map<string, { expected: Json; comparison: Comparison }>;
}
/** How a value is compared: exactly, as a similar text, as a close number, or by anything that fits. */
type Comparison = 'exact' | 'text' | 'number' | 'anything';

function variantsOf(expected: Json, rule: ComparisonRule, path: PropertyKey[], isLiteral = false): Variant[] {
  const leaf = (value: Json, comparison: Comparison): Variant[] => [
    { value, nodes: new Map([[jsonPointer(path), { expected, comparison }]]) },
  ];
  const held = isObject(expected) ? expected : {};
  switch (isLiteral ? undefined : matcherOf(expected)) {
    case '$literal':
      return variantsOf(held.$literal!, rule, path, true);
    case '$one_of':
      return (held.$one_of as Json[]).slice(0, MAX_VARIANTS).flatMap((member) => variantsOf(member, rule, path));
    case '$optional':
      return variantsOf(held.$optional!, rule, path);
    case '$approx':
      return leaf(held.$approx!, 'number');
    case '$contains':
      return leaf(held.$contains!, 'text');
    case '$regex':
    case '$any':
    case '$absent':
      return leaf(null, 'anything');
  }
  const whole: Json = isLiteral ? { $literal: expected } : expected;
  if (Array.isArray(expected))
    return combineVariants(
      expected.map((item, index) => variantsOf(item, rule, [...path, index], isLiteral)),
      (values) => values,
      whole,
      path,
    );
  if (isObject(expected)) {
    const keys = Object.keys(expected).filter((key) => isLiteral || matcherOf(expected[key]!) !== '$absent');
    return combineVariants(
      keys.map((key) => variantsOf(expected[key]!, rule, [...path, key], isLiteral)),
      (values) => Object.fromEntries(keys.map((key, index) => [key, values[index]!])),
      whole,
      path,
    );
  }
  if (rule.mode === 'numeric_tolerance' && numberIn(expected) !== undefined) return leaf(expected, 'number');
  if (typeof expected !== 'string') return leaf(expected, 'exact');
  if (rule.mode === 'regex') return leaf(expected, 'anything');
  const isDateTime = rule.mode === 'datetime' && parseDateTime(expected) !== undefined;
  if (isDateTime || ['contains', 'fuzzy', 'semantic'].includes(rule.mode)) return leaf(expected, 'text');
  return hasOtherForms(expected)
    ? [expected, expected.normalize('NFC'), commonForm(expected)].flatMap((text) => leaf(text, 'exact'))
    : leaf(expected, 'exact');
}

function combineVariants(
  parts: Variant[][],
  make: (values: Json[]) => Json,
  expected: Json,
  path: PropertyKey[],
): Variant[] {
  let rows: Variant[][] = [[]];
  for (const part of parts) {
    if (part.length === 1 || rows.length * part.length > MAX_VARIANTS) for (const row of rows) row.push(part[0]!);
    else rows = rows.flatMap((row) => part.map((one) => [...row, one]));
  }
  return rows.map((row) => ({
    value: make(row.map(({ value }) => value)),
    nodes: new Map([
      [jsonPointer(path), { expected, comparison: 'exact' as const }],
      ...row.flatMap(({ nodes }) => [...nodes]),
    ]),
  }));
}

/** The first error of a variant that would also occur with every other accepted value. */
function faultIn(errors: readonly SchemaError[], variant: Variant, rule: ComparisonRule): SchemaError | undefined {
  const isWithin = (inner: SchemaError, outer: SchemaError): boolean =>
    inner.instancePath === outer.instancePath || inner.instancePath.startsWith(`${outer.instancePath}/`);
  const choices = errors.filter(isChoice);
  const alone = errors.filter((error) => !isChoice(error) && !choices.some((choice) => isWithin(error, choice)));
  const counts = (error: SchemaError): boolean => isFault(error, variant, rule);
  return (
    alone.find(counts) ??
    choices.find((choice) => {
      const branches = errors.filter((error) => !isChoice(error) && isWithin(error, choice));
      return branches.length ? branches.every(counts) : !isOpenBelow(variant, choice.instancePath);
    })
  );
}

const isChoice = ({ keyword }: SchemaError): boolean => keyword === 'anyOf' || keyword === 'oneOf';
const isOpenBelow = ({ nodes }: Variant, path: string): boolean =>
  [...nodes].some(
    ([at, { comparison, expected }]) =>
      (at === path || at.startsWith(`${path}/`)) && (comparison !== 'exact' || typeof expected === 'string'),
  );

function isFault({ keyword, instancePath, params }: SchemaError, variant: Variant, rule: ComparisonRule): boolean {
  const { expected, comparison } = variant.nodes.get(instancePath) ?? { expected: null, comparison: 'anything' };
  if (keyword === UNDECLARED || keyword === 'additionalProperties') return true;
  if (keyword === 'not' || keyword === 'if') return false;
  if (keyword === 'enum' || keyword === 'const') {
    const allowed = keyword === 'enum' ? (params.allowedValues as Json[]) : [params.allowedValue as Json];
    const isUnknown =
      rule.mode === 'semantic' && typeof expected === 'string' && allowed.some((value) => typeof value === 'string');
    return !isUnknown && !allowed.some((value) => matchesExpected(expected, value, rule));
  }
  switch (comparison) {
    case 'anything':
      return false;
    case 'text':
      return keyword === 'type';
    case 'number':
      return isBeyondLimit(
        keyword,
        params,
        numberIn(matcherOf(expected) ? (expected as JsonObject).$approx! : expected)!,
        epsilonOf(expected, rule),
      );
    case 'exact':
      // Texts are compared ignoring case.
      return keyword !== 'pattern' || typeof expected !== 'string' || !fitsInAnyCase(String(params.pattern), expected);
  }
}

function isBeyondLimit(
  keyword: string,
  { type, limit }: SchemaError['params'],
  value: number,
  epsilon: number,
): boolean {
  switch (keyword) {
    case 'type': {
      const types = [type].flat();
      if (types.includes('number') || types.includes('string')) return false;
      return !types.includes('integer') || Math.abs(value - Math.round(value)) > epsilon;
    }
    case 'maximum':
      return value - epsilon > Number(limit);
    case 'exclusiveMaximum':
      return value - epsilon >= Number(limit);
    case 'minimum':
      return value + epsilon < Number(limit);
    case 'exclusiveMinimum':
      return value + epsilon <= Number(limit);
    default:
      return false;
  }
}

const epsilonOf = (expected: Json, rule: ComparisonRule): number =>
  isObject(expected) ? (numberIn(expected.$epsilon ?? null) ?? 0.01) : rule.epsilon;

function numberIn(value: Json): number | undefined {
  const text = isNumber(value) ? numberSource(value) : typeof value === 'string' ? value.trim() : '';
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function fitsInAnyCase(pattern: string, text: string): boolean {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE).test(text);
  } catch {
    return true; // Patterns that RE2 does not support are not checked.
  }
}

/**
 * Whether an error concerns one given argument. A schema that depends on several arguments says nothing about a single
 * one.
 */
function concernsPath(parameters: JsonObject, { instancePath, schemaPath, keyword }: SchemaError): boolean {
  if (instancePath === '') return keyword === 'additionalProperties' && schemaPath === '#/additionalProperties';
  return !COMPOSING.some((one) => one in parameters) || schemaPath.startsWith('#/properties/');
}

/** Whether an object's schema does not declare a key. A schema without rules for additional keys declares none. */
const isUndeclared = (schema: JsonObject, key: string): boolean =>
  !COMPOSING.some((one) => one in schema) &&
  (schema.additionalProperties === undefined || schema.additionalProperties === false) &&
  (isObject(schema.properties) ? !Object.hasOwn(schema.properties, key) : schema.additionalProperties === false);

function undeclaredIn(schema: Json | undefined, value: Json, path: PropertyKey[]): SchemaError[] {
  if (!isObject(schema)) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => undeclaredIn(schema.items, item, [...path, index]));
  if (!isObject(value)) return [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.keys(value).flatMap((key): SchemaError[] => {
    if (!isUndeclared(schema, key))
      return undeclaredIn(Object.hasOwn(properties, key) ? properties[key] : undefined, value[key]!, [...path, key]);
    return [
      {
        keyword: UNDECLARED,
        instancePath: jsonPointer([...path, key]),
        schemaPath: '',
        params: { key, known: Object.keys(properties) },
      },
    ];
  });
}
const UNDECLARED = 'undeclared';

function describeFault(
  { keyword, instancePath, params, message }: SchemaError,
  { nodes }: Variant,
  errors: readonly SchemaError[],
  tool: string,
): string {
  if (keyword === UNDECLARED)
    return unknownKey(
      `the schema of "${tool}" does not declare`,
      params.key as string,
      params.known as string[],
      'what it declares',
    );
  if (keyword === 'additionalProperties')
    return `the schema of "${tool}" allows no ${JSON.stringify(params.additionalProperty)} here.`;
  const { expected = null } = nodes.get(instancePath) ?? {};
  const text = JSON.stringify(expected);
  const breaks =
    `${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text} breaks the schema of ` +
    `"${tool}":`;
  if (keyword === 'enum') {
    const allowed = params.allowedValues as Json[];
    const likely =
      typeof expected === 'string'
        ? likelyName(
            expected,
            allowed.filter((value) => typeof value === 'string'),
          )
        : undefined;
    const listed = allowed
      .slice(0, 10)
      .map((value) => JSON.stringify(value))
      .join(', ');
    return (
      `${breaks} must be one of ` +
      `${listed}${allowed.length > 10 ? ', ...' : ''}${likely === undefined ? '.' : `; is "${likely}" meant?`}`
    );
  }
  if (keyword === 'const') return `${breaks} must be ${JSON.stringify(params.allowedValue)}.`;
  if (keyword === 'type') return `${breaks} must be of type ${[params.type].flat().join(' or ')}.`;
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return `${breaks} ${message}.`;
  const types = errors.flatMap((error) =>
    error.keyword === 'type' && error.instancePath === instancePath ? [error.params.type].flat() : [],
  );
  return types.length
    ? `${breaks} must be of type ${[...new Set(types)].join(' or ')}.`
    : `${breaks} fits none of the allowed shapes.`;
}

function unknownKey(what: string, key: string, known: string[], them: string): string {
  const likely = likelyName(key, known);
  if (likely !== undefined) return `${what} "${key}"; is "${likely}" meant?`;
  return `${what} "${key}". ${known.length ? suggestNames(key, known, them) : 'It has none.'}`;
}
