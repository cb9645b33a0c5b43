import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

/** Keywords whose subschemas apply to the same value as the schema that contains them. */
const IN_PLACE = ['not', 'if', 'then', 'else'];
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
/** Keywords that refer to another schema. */
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords of named schemas that apply to the same value. The older one may also contain lists of names. */
const DEPENDENT = ['dependentSchemas', 'dependencies'];
/** Keywords whose values are data, whatever they look like. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/** The targets of references in a schema: pointers, anchors, and ids of inner schemas. */
function targetsIn(root: JsonObject): (reference: string) => Json | undefined {
  const named = new Map<string, Json>();
  everyObject(root, (node) => {
    for (const key of ['$anchor', '$dynamicAnchor'] as const)
      if (typeof node[key] === 'string') named.set(`#${node[key]}`, node);
    for (const key of ['$id', 'id'] as const) if (typeof node[key] === 'string') named.set(node[key], node);
  });
  return (reference) => {
    if (!reference.startsWith('#/') && reference !== '#') return named.get(reference);
    let at: Json | undefined = root;
    for (const part of reference.split('/').slice(1)) {
      const key = decodePart(part);
      if (Array.isArray(at)) at = at[Number(key)];
      else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }
    return at;
  };
}

function decodePart(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // Not valid percent-encoding: use the token literally.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function everyObject(root: Json, see: (node: JsonObject) => void): void {
  const todo: Json[] = [root];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (Array.isArray(node)) for (const item of node) todo.push(item);
    else if (isObject(node)) {
      see(node);
      for (const [key, value] of Object.entries(node)) if (!DATA.has(key)) todo.push(value);
    }
  }
}

/**
 * Finds references that lead back to themselves without descending into a value, as in `{"$defs": {"a": {"allOf":
 * [{"$ref": "#/$defs/a"}]}}}`. Validation by such a schema never ends.
 */
export function findReferenceCycle(root: JsonObject): string[] | undefined {
  const targetOf = targetsIn(root);
  const done = new Set<JsonObject>();
  const way = new Map<JsonObject, string | undefined>();
  let circle: string[] | undefined;
  const visit = (node: Json | undefined, by?: string): void => {
    if (circle || !isObject(node) || done.has(node)) return;
    if (way.has(node)) {
      const nodes = [...way.keys()];
      const references = [...nodes.slice(nodes.indexOf(node) + 1).map((one) => way.get(one)), by].filter(
        (one) => one !== undefined,
      );
      circle = [...references, references[0]!];
      return;
    }
    way.set(node, by);
    for (const key of REFERENCES) if (typeof node[key] === 'string') visit(targetOf(node[key]), node[key]);
    for (const key of IN_PLACE) visit(node[key]);
    for (const key of IN_PLACE_LISTS) if (Array.isArray(node[key])) for (const one of node[key]) visit(one);
    for (const key of DEPENDENT) {
      const schemas = node[key];
      if (isObject(schemas)) for (const one of Object.values(schemas)) visit(one);
    }
    way.delete(node);
    done.add(node);
  };
  everyObject(root, (node) => visit(node));
  return circle;
}

/**
 * The maximum number of schema characters processed for one value, counting each reference separately. It is Infinity
 * if a schema refers to itself. Multiplied by the length of a value, it bounds the work of validating the value.
 */
export function expandedLength(root: JsonObject): number {
  const targetOf = targetsIn(root);
  const known = new Map<JsonObject, number>();
  const lengthOf = (node: Json): number => {
    if (typeof node === 'string') return node.length + 2;
    if (Array.isArray(node)) return node.reduce<number>((sum, item) => sum + lengthOf(item), 2);
    if (!isObject(node)) return 5;
    const before = known.get(node);
    if (before !== undefined) return before;
    known.set(node, Infinity); // until its length is known
    let length = 2;
    for (const [key, value] of Object.entries(node)) {
      length += key.length + 4 + lengthOf(value);
      if (REFERENCES.includes(key) && typeof value === 'string') length += lengthOf(targetOf(value) ?? null);
      // A pattern runs over the whole text, and slowly.
      if (key === 'pattern' && typeof value === 'string') length += value.length * (/\{\d/.test(value) ? 1000 : 20);
      if (key === 'patternProperties') length += JSON.stringify(value).length * 20;
    }
    known.set(node, length);
    return length;
  };
  return lengthOf(root);
}
