import { Ajv, type Options, type SchemaObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft04 from 'ajv-draft-04';
import { RE2JS } from 're2js';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

/** Draft-06 is treated as draft-07, which only adds keywords to it. */
export type Draft = 'draft-04' | 'draft-07' | '2019-09' | '2020-12';
type Compiler = Pick<Ajv, 'compile' | 'removeSchema' | 'validateSchema'>;

const DRAFT_BY_PATH: Record<string, Draft> = {
  'draft-04/schema': 'draft-04',
  'draft-06/schema': 'draft-07',
  'draft-07/schema': 'draft-07',
  'draft/2019-09/schema': '2019-09',
  'draft/2020-12/schema': '2020-12',
};

/** The draft named by a schema's `$schema`, or undefined for a missing or unknown one. */
function declaredDraft({ $schema }: JsonObject): Draft | undefined {
  if (typeof $schema !== 'string' || $schema.length > 100) return undefined;
  const path = /^https?:\/\/(?:www\.)?json-schema\.org\/([a-z0-9/-]+?)\/?#?\/?$/i
    .exec($schema.trim())?.[1]
    ?.toLowerCase();
  return path !== undefined && Object.hasOwn(DRAFT_BY_PATH, path) ? DRAFT_BY_PATH[path] : undefined;
}

/**
 * The drafts to try for a schema, the most likely first. Many schemas declare an older draft but follow the newest one;
 * others declare no draft or an unknown one, but follow an older one.
 */
export function draftsOf(schema: JsonObject): readonly [Draft, ...Draft[]] {
  const declared = declaredDraft(schema);
  if (declared === undefined) return ['2020-12', 'draft-07', 'draft-04'];
  return declared === '2020-12' ? [declared] : [declared, '2020-12'];
}

// Not strict: suites contain schemas with custom keywords, and formats are only annotations here. References compile to
// calls, because inlining nested copies would generate endless code. The code is not optimised, because that took as
// long as generating it. Without `unevaluated`, older drafts skip the branches of an `anyOf` that accepts everything,
// and the references in them.
const SETTINGS: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  unicodeRegExp: false,
  addUsedSchema: false,
  inlineRefs: false,
  unevaluated: true,
  code: { optimize: false, regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

/**
 * Compiles a schema's pattern so that it runs in time linear in the text. A backtracking pattern could block a worker
 * for hours. Patterns that RE2 does not support (look-around, back-references) accept every text.
 * @throws SyntaxError when the pattern is not valid in JavaScript either
 */
function linearPattern(pattern: string): { test(text: string): boolean } {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    new RegExp(pattern);
    return { test: () => true };
  }
}

/**
 * `uniqueItems` is removed: it compares each item with every other, which takes too long for a list of a million. Ajv
 * rejects `id` in newer drafts, where it is an unknown keyword like any other.
 */
export function newCompiler(draft: Draft): Compiler {
  switch (draft) {
    case 'draft-04':
      return new draft04.default(SETTINGS).removeKeyword('uniqueItems');
    case 'draft-07':
      return new Ajv(SETTINGS).removeKeyword('uniqueItems').removeKeyword('id');
    case '2019-09':
      return new Ajv2019(SETTINGS).removeKeyword('uniqueItems').removeKeyword('id');
    case '2020-12':
      return new Ajv2020(SETTINGS).removeKeyword('uniqueItems').removeKeyword('id');
  }
}

/**
 * Compiles a schema with one draft. Drops the root's id, which other tools may share, unless the schema refers to it.
 * @param shared a compiler of the draft that others use as well
 * @throws Error when the schema is not valid by the draft
 */
export function compileBy(draft: Draft, schema: JsonObject, shared: () => Compiler): ValidateFunction {
  const idKey = draft === 'draft-04' ? 'id' : '$id';
  // An $async schema would return a promise whose rejection is never awaited.
  const { [idKey]: id, $schema: _schema, $async: _async, ...given } = schema;
  const isReferredTo = typeof id === 'string' && refersToId(given);
  // References to "#" need an id.
  const rest: SchemaObject = { [idKey]: isReferredTo ? id : 'toolmark:parameters', ...toDraft(draft, given) };
  // Ajv makes an id known to everything that the same instance compiles later, other teams' schemas included.
  if (isReferredTo || holdsId(given, idKey)) return newCompiler(draft).compile(rest);
  const ajv = shared();
  const validate = ajv.compile(rest);
  ajv.removeSchema(rest);
  return validate;
}

const holdsId = (value: Json, idKey: string): boolean =>
  Array.isArray(value)
    ? value.some((item) => holdsId(item, idKey))
    : isObject(value) &&
      (typeof value[idKey] === 'string' ||
        typeof value.$anchor === 'string' ||
        typeof value.$dynamicAnchor === 'string' ||
        Object.values(value).some((inner) => holdsId(inner, idKey)));

const refersToId = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(refersToId)
    : isObject(value) &&
      ((typeof value.$ref === 'string' && !value.$ref.startsWith('#')) || Object.values(value).some(refersToId));

/** Keywords whose values are data, whatever they look like. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required']);
/** Keywords whose value is an object of named schemas. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions']);

/** The limits of open ranges in OpenAPI 3.0 and draft-04. */
const OPEN_LIMITS: Record<string, string> = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' };

/**
 * Converts OpenAPI 3.0 keywords to those of a draft. `nullable` requires a `type`: elsewhere JSON Schema ignores it,
 * and Ajv rejects it. A boolean `exclusiveMinimum` makes the accompanying `minimum` exclusive.
 */
function toDraft(draft: Draft, schema: JsonObject): JsonObject {
  const inner = (value: Json): Json =>
    Array.isArray(value) ? value.map(inner) : isObject(value) ? toDraft(draft, value) : value;
  const isFlag = (key: string | undefined): boolean =>
    draft !== 'draft-04' && key !== undefined && typeof schema[key] === 'boolean';
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === 'nullable' && !isObject(value) && (value !== true || schema.type === undefined)) return [];
    if (Object.values(OPEN_LIMITS).includes(key) && isFlag(key)) return [];
    if (isFlag(OPEN_LIMITS[key]) && schema[OPEN_LIMITS[key]!] === true) return [[OPEN_LIMITS[key]!, value]];
    if (DATA.has(key)) return [[key, value]];
    if (!NAMED.has(key) || !isObject(value)) return [[key, inner(value)]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))]];
  });
  return Object.fromEntries(entries);
}
