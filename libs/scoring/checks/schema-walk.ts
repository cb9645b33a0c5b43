import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

/** Keywords whose schemas look at the same value as the schema that they stand in. */
const ASIDE = ['not', 'if', 'then', 'else'];
const ASIDE_LISTS = ['allOf', 'anyOf', 'oneOf'];
/** Keywords whose values are data, whatever they look like. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/** Where references in a schema lead to: pointers, anchors, and ids of schemas inside. */
function targetsIn(root: JsonObject): (reference: string) => Json | undefined {
  const named = new Map<string, Json>();
  everyObject(root, (node) => {
    for (const key of ['$anchor', '$dynamicAnchor'] as const)
      if (typeof node[key] === 'string') named.set(`#${node[key]}`, node);
    if (typeof node.$id === 'string') named.set(node.$id, node);
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
    // It stands for itself.
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
 * The references of a schema that lead back to where they stand without going down into a value on the way, as
 * `{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}` does: whoever checks by it never ends.
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
    for (const key of ['$ref', '$dynamicRef']) if (typeof node[key] === 'string') visit(targetOf(node[key]), node[key]);
    for (const key of ASIDE) visit(node[key]);
    for (const key of ASIDE_LISTS) if (Array.isArray(node[key])) for (const one of node[key]) visit(one);
    if (isObject(node.dependentSchemas)) for (const one of Object.values(node.dependentSchemas)) visit(one);
    way.delete(node);
    done.add(node);
  };
  everyObject(root, (node) => visit(node));
  return circle;
}

/**
 * How many characters of a schema are read for one value at most, each reference being read anew: Infinity where a
 * schema refers to itself. Times the length of a value it bounds the work of checking it.
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
    known.set(node, Infinity); // while it is under way
    let length = 2;
    for (const [key, value] of Object.entries(node)) {
      length += key.length + 4 + lengthOf(value);
      if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string')
        length += lengthOf(targetOf(value) ?? null);
      // A pattern is run over all of a text, and slowly.
      if (key === 'pattern' && typeof value === 'string') length += value.length * (/\{\d/.test(value) ? 1000 : 20);
      if (key === 'patternProperties') length += JSON.stringify(value).length * 20;
    }
    known.set(node, length);
    return length;
  };
  return lengthOf(root);
}
