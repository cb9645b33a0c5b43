import { isNumber, isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { valueAt } from '../../../ui/form/edited.js';
import { typeOf } from '../../suites/parts/schema-rows.js';

/** How the value of an argument is typed. `free` is text, or any JSON. */
export type ArgumentKind = 'text' | 'number' | 'boolean' | 'choice' | 'texts' | 'numbers' | 'json' | 'free';

/** An argument of a tool, or one that only the case has. */
export interface ArgumentRow {
  name: string;
  kind: ArgumentKind;
  /** In words. */
  type: string;
  description: string;
  isRequired: boolean;
  /** The values of a `choice`. */
  choices: readonly Json[];
  /** Whether the schema of the tool has it. */
  isKnown: boolean;
}

const MAX_CHOICES = 200;
const MAX_REFERENCES = 8;

/**
 * The arguments that calls of these tools may have, those of the schema first.
 * @param tools definitions; an earlier one takes precedence
 * @param expected arguments of the case, which need not be in the schema
 */
export function argumentRows(
  tools: readonly Json[],
  names: readonly string[],
  expected: Json | undefined,
): ArgumentRow[] {
  const rows = new Map<string, ArgumentRow>();
  for (const name of names) {
    const schema = valueAt(findTool(tools, name), ['function', 'parameters']);
    for (const row of rowsOf(schema)) {
      const before = rows.get(row.name);
      rows.set(row.name, before ? { ...before, isRequired: before.isRequired && row.isRequired } : row);
    }
  }
  const others = isObject(expected) ? Object.keys(expected).filter((name) => !rows.has(name)) : [];
  return [...rows.values(), ...others.map(unknownRow)];
}

const nameOf = (tool: Json): string => toText(valueAt(tool, ['function', 'name']));

/** Names are compared without regard to case when replies are scored. */
const findTool = (tools: readonly Json[], name: string): Json | undefined =>
  tools.find((tool) => nameOf(tool) === name) ??
  tools.find((tool) => nameOf(tool).toLowerCase() === name.toLowerCase());

const unknownRow = (name: string): ArgumentRow => ({
  name,
  kind: 'free',
  type: '',
  description: '',
  isRequired: false,
  choices: [],
  isKnown: false,
});

function rowsOf(schema: Json | undefined): ArgumentRow[] {
  const whole = resolved(schema, schema);
  if (!isObject(whole) || !isObject(whole.properties)) return [];
  const required = Array.isArray(whole.required) ? whole.required : [];
  return Object.entries(whole.properties).map(([name, own]) => {
    const inner = resolved(own, schema);
    const choices = choicesOf(inner);
    return {
      name,
      kind: choices.length > 0 ? 'choice' : kindOf(inner, schema),
      type: choices.length > 0 ? 'choice' : typeOf(inner),
      description: isObject(own) ? toText(own.description ?? valueAt(inner, ['description'])) : '',
      isRequired: required.includes(name),
      choices,
      isKnown: true,
    };
  });
}

/** Follows references within the schema. */
function resolved(schema: Json | undefined, root: Json | undefined): Json | undefined {
  let found = schema;
  for (let hops = 0; hops < MAX_REFERENCES && isObject(found); hops++) {
    const { $ref: reference } = found;
    if (typeof reference !== 'string' || !reference.startsWith('#')) break;
    const path = reference.split('/').slice(1);
    found = valueAt(
      root,
      path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    );
  }
  return found;
}

const isScalar = (value: Json): boolean => !Array.isArray(value) && !isObject(value);

function choicesOf(schema: Json | undefined): readonly Json[] {
  if (!isObject(schema)) return [];
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? [] : [schema.const];
  return values.length <= MAX_CHOICES && values.every(isScalar) ? values : [];
}

function kindOf(schema: Json | undefined, root: Json | undefined): ArgumentKind {
  if (!isObject(schema)) return 'free';
  const either = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(either)) {
    const others = either.map((one) => resolved(one, root)).filter((one) => valueAt(one, ['type']) !== 'null');
    return others.length === 1 ? kindOf(others[0], root) : 'free';
  }
  const types = [schema.type].flat().filter((type) => type !== undefined && type !== 'null');
  if (types.length !== 1) return types.length === 2 && types.every(isNumeric) ? 'number' : 'free';
  const [type] = types;
  if (type === 'array') {
    const items = kindOf(resolved(schema.items, root), root);
    return items === 'text' ? 'texts' : items === 'number' ? 'numbers' : 'json';
  }
  return isNumeric(type) ? 'number' : (KINDS[toText(type)] ?? 'free');
}

const isNumeric = (type: Json | undefined): boolean => type === 'number' || type === 'integer';
const KINDS: Record<string, ArgumentKind> = { string: 'text', boolean: 'boolean', object: 'json' };

/** Whether a line holds a text without losing anything. */
const isLine = (text: Json): boolean =>
  typeof text === 'string' && text.trim() === text && text !== '' && !/[\r\n]/.test(text);

/** The kind in which a value can be shown: its own, or `free`. */
export function kindFor(kind: ArgumentKind, value: Json | undefined): ArgumentKind {
  if (value === undefined) return kind;
  const fits: Partial<Record<ArgumentKind, boolean>> = {
    text: typeof value === 'string',
    number: isNumber(value),
    boolean: typeof value === 'boolean',
    choice: isScalar(value),
    texts: Array.isArray(value) && value.length > 0 && value.every(isLine),
    numbers: Array.isArray(value) && value.length > 0 && value.every(isNumber),
  };
  return (fits[kind] ?? true) ? kind : 'free';
}

/** The tools of a case: its own definitions, and those of the suite. */
export function toolsOf(input: JsonObject, suiteTools: Json): Json[] {
  return [input.tools, suiteTools].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject);
}

/** Their names; a case may name tools of the suite that no longer exist. */
export function toolNames(input: JsonObject, suiteTools: Json): string[] {
  const all = [input.tools ?? [], suiteTools].flatMap((list) => (Array.isArray(list) ? list : []));
  const names = all.map((tool) => (typeof tool === 'string' ? tool : nameOf(tool)));
  return [...new Set(names.filter((name) => name !== ''))];
}
