/**
 * The texts that models read in addition to a case, each by its key: the system prompt, the description of a tool, and
 * the description at a place in the schema of its parameters. Everything else of a tool (names, types, enums, required
 * lists) is not a component, and nothing here changes it.
 */

import { isObject, type Json, type JsonObject } from './json/json.js';
import { memoize } from './memoize.js';
import type { Tool } from './tool.js';

export type Component =
  | { of: 'system_prompt' }
  | { of: 'tool'; tool: string }
  /** `pointer`: the unescaped tokens of a JSON pointer into the tool's `parameters`, at least one. */
  | { of: 'parameter'; tool: string; pointer: string[] };

export const COMPONENT_FORMS =
  'system_prompt, tools/<name>/description, or tools/<name>/parameters/<pointer>/description, such as ' +
  'tools/get_weather/parameters/properties/city/description';

const MAX_COMPONENT_KEY_CHARS = 1_000;
/** The maximum number of listed components of a suite, in the order of its tools. */
const MAX_LISTED = 5_000;

const KEY = /^tools\/([A-Za-z0-9_.-]{1,64})\/(?:parameters\/(.+)\/)?description$/s;
const BAD_ESCAPE = /~(?![01])/;

/** Parses a component key; undefined for an invalid key. Does not check that a suite has the component. */
export function parseComponent(key: string): Component | undefined {
  if (key === 'system_prompt') return { of: 'system_prompt' };
  if (key.length > MAX_COMPONENT_KEY_CHARS || BAD_ESCAPE.test(key)) return undefined;
  const [, tool, pointer] = KEY.exec(key) ?? [];
  if (tool === undefined) return undefined;
  if (pointer === undefined) return { of: 'tool', tool };
  const tokens = pointer.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { of: 'parameter', tool, pointer: tokens };
}

/** The key of a component. */
export function componentKey(component: Component): string {
  if (component.of === 'system_prompt') return 'system_prompt';
  const tool = `tools/${component.tool}`;
  return component.of === 'tool'
    ? `${tool}/description`
    : `${tool}/parameters/${component.pointer.map(escapeToken).join('/')}/description`;
}

const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * All components of a suite with their texts, "" where there is none: the system prompt, the description of each tool,
 * and in its parameters those of each property and of anything else that has one. At most 5,000: properties of the last
 * tools are omitted first. Keys of more than 1,000 characters are omitted.
 */
export function componentsOf(systemPrompt: string | null, tools: readonly Tool[]): Map<string, string> {
  const found = new Map([['system_prompt', systemPrompt ?? '']]);
  for (const { function: described } of tools.slice(0, MAX_LISTED - 1))
    found.set(componentKey({ of: 'tool', tool: described.name }), described.description ?? '');
  for (const { function: described } of tools)
    addPlaces(found, described.parameters, `tools/${described.name}/parameters`);
  return found;
}

function addPlaces(found: Map<string, string>, schema: Json | undefined, at: string): void {
  for (const { keyword, steps, inner } of innerSchemas(schema)) {
    const place = `${at}/${steps.map(escapeToken).join('/')}`;
    const key = `${place}/description`;
    if (key.length > MAX_COMPONENT_KEY_CHARS) continue;
    if (found.size >= MAX_LISTED) return;
    if (keyword === 'properties' || descriptionOf(inner) !== '') found.set(key, descriptionOf(inner));
    addPlaces(found, inner, place);
  }
}

const descriptionOf = ({ description }: JsonObject): string => (typeof description === 'string' ? description : '');

/** The keywords that nest schemas: by name, in a list, or one. Elsewhere objects are data. */
const NESTING_KEYWORDS: ReadonlyMap<string, 'names' | 'list' | 'one or list'> = new Map([
  ['properties', 'names'],
  ['$defs', 'names'],
  ['definitions', 'names'],
  ['items', 'one or list'],
  ['prefixItems', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['allOf', 'list'],
  ['additionalProperties', 'one or list'],
]);

function* innerSchemas(schema: Json | undefined): Generator<{ keyword: string; steps: string[]; inner: JsonObject }> {
  if (!isObject(schema)) return;
  for (const [keyword, held] of Object.entries(schema)) {
    const holds = NESTING_KEYWORDS.get(keyword);
    if (holds === undefined) continue;
    if (holds === 'one or list' && isObject(held)) yield { keyword, steps: [keyword], inner: held };
    else if (holds === 'names' ? isObject(held) : Array.isArray(held))
      for (const [name, inner] of Object.entries(held as Record<string, Json>))
        if (isObject(inner)) yield { keyword, steps: [keyword, name], inner };
  }
}

/** The schema at a pointer, resolved only through keywords that nest schemas. */
function schemaAt(schema: Json | undefined, pointer: readonly string[]): JsonObject | undefined {
  let place = schema;
  for (let at = 0; at < pointer.length;) {
    const keyword = pointer[at++]!;
    const holds = NESTING_KEYWORDS.get(keyword);
    if (holds === undefined || !isObject(place)) return undefined;
    const held = ownValue(place, keyword);
    if (holds === 'one or list' && isObject(held)) {
      place = held;
      continue;
    }
    if (at === pointer.length || (holds === 'names' ? !isObject(held) : !Array.isArray(held))) return undefined;
    place = ownValue(held as JsonObject, pointer[at++]!);
  }
  return isObject(place) ? place : undefined;
}

/** A name may be `__proto__`, or `length` of a list. */
const ownValue = (of: JsonObject | Json[], name: string): Json | undefined =>
  Object.prototype.propertyIsEnumerable.call(of, name) ? (of as JsonObject)[name] : undefined;

/** The keys that are invalid, or name an unknown tool or an unknown place in the schema of its parameters. */
export function unknownComponents(keys: readonly string[], tools: readonly Tool[]): string[] {
  const byName = new Map(tools.map((tool) => [tool.function.name, tool]));
  return keys.filter((key) => {
    const component = parseComponent(key);
    if (component === undefined) return true;
    if (component.of === 'system_prompt') return false;
    const tool = byName.get(component.tool);
    if (!tool) return true;
    return component.of === 'parameter' && !schemaAt(tool.function.parameters, component.pointer);
  });
}

/** Descriptions by component. */
type Overrides = Readonly<Record<string, string>>;

/**
 * Tools with replaced descriptions; "" removes one. Keys that match nothing in these tools are ignored. The input is
 * not mutated, and unchanged parts are shared with the result. The same pair of objects returns the same list, and the
 * input list if nothing differs.
 */
export const describeTools = (tools: readonly Tool[], overrides: Overrides = NONE): readonly Tool[] =>
  describersOf(overrides)(tools);
const NONE: Overrides = {};

/** The update that gives a suite these texts, without the ones that it already has. */
export function suiteUpdate(
  suite: { system_prompt: string | null; tools: readonly Tool[] },
  components: Overrides,
): { system_prompt?: string | null; tools?: Tool[] } {
  const tools = describeTools(suite.tools, components);
  const { system_prompt: prompt } = components;
  return {
    ...(prompt !== undefined && prompt !== (suite.system_prompt ?? '') && { system_prompt: prompt || null }),
    ...(tools !== suite.tools && { tools: [...tools] }),
  };
}

const describersOf = memoize((overrides: Overrides) => {
  const byTool = readOverrides(overrides);
  return memoize((tools: readonly Tool[]) => {
    const described = tools.map((tool) => {
      const replaced = byTool.get(tool.function.name);
      return replaced ? describeTool(tool, replaced) : tool;
    });
    return described.some((tool, index) => tool !== tools[index]) ? described : tools;
  });
});

interface ToolTexts {
  text?: string;
  places: { pointer: string[]; text: string }[];
}

function readOverrides(overrides: Overrides): Map<string, ToolTexts> {
  const byTool = new Map<string, ToolTexts>();
  for (const [key, text] of Object.entries(overrides)) {
    const component = parseComponent(key);
    if (component === undefined || component.of === 'system_prompt') continue;
    const texts = byTool.get(component.tool) ?? { places: [] };
    byTool.set(component.tool, texts);
    if (component.of === 'tool') texts.text = text;
    else texts.places.push({ pointer: component.pointer, text });
  }
  return byTool;
}

function describeTool(tool: Tool, { text, places }: ToolTexts): Tool {
  const { parameters } = tool.function;
  const root: Replaced = { below: new Map() };
  for (const { pointer, text: inner } of places) if (schemaAt(parameters, pointer)) nodeAt(root, pointer).text = inner;
  const described = replaceBelow(parameters as Json, root.below);
  const made = withDescription(
    described === parameters ? tool.function : { ...tool.function, parameters: described },
    text,
  );
  return made === tool.function ? tool : ({ ...tool, function: made } as Tool);
}

/** The descriptions to replace in a schema and below it. */
interface Replaced {
  text?: string;
  below: Map<string, Replaced>;
}

function nodeAt(root: Replaced, pointer: readonly string[]): Replaced {
  let place = root;
  for (const token of pointer) {
    const next = place.below.get(token) ?? { below: new Map<string, Replaced>() };
    place.below.set(token, next);
    place = next;
  }
  return place;
}

/** Copies the path to each description, keeping the key order. Assigning to `__proto__` would lose it. */
function replaceBelow(value: Json, below: Map<string, Replaced>): Json {
  if (below.size === 0) return value;
  const entries = Object.entries(value as JsonObject);
  const made = entries.map(([name, inner]): [string, Json] => {
    const replaced = below.get(name);
    if (!replaced) return [name, inner];
    const copy = replaceBelow(inner, replaced.below);
    return [name, isObject(copy) ? withDescription(copy, replaced.text) : copy];
  });
  if (made.every(([, inner], index) => inner === entries[index]![1])) return value;
  return Array.isArray(value) ? made.map(([, inner]) => inner) : Object.fromEntries(made);
}

function withDescription<Described extends object>(of: Described, text: string | undefined): Described {
  if (text === undefined || text === descriptionOf(of as JsonObject)) return of;
  if (text !== '') return { ...of, description: text };
  const { description: _none, ...rest } = of as { description?: unknown };
  return rest as Described;
}
