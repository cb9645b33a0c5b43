import type { Conversation, ConversationRule, PatchOperation } from '#lib/contracts/conversation';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isObject, type Json } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { matcherOf } from '../arguments/matchers.js';
import { checkParams, checkValue, type Fail } from '../checks/check-expected.js';
import { measure } from './measure.js';
import type { Places } from './places.js';
import { namesIn } from './placeholders.js';
import { keysOf } from './pointer.js';

type Tools = NonNullable<Conversation['tools']>;

const EXACT = { mode: 'exact', isValueOfKey: true, isInObject: false } as const;
export const NOT_BY_MEANING =
  'cannot be "semantic": only the calls of a goal are compared by meaning. Use another mode.';

/** What the rules of tools are checked with. */
interface Checking {
  tools: ReadonlyMap<string, Tool>;
  places: Places;
  fail: Fail;
}

/** Checks the rules of tools. @param path of the rules, by tool */
export function checkRules(path: PropertyKey[], rules: Tools, { tools, places, fail }: Checking): void {
  const seen = new Map<string, string>();
  for (const [name, list] of Object.entries(rules)) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) fail([...path, name], `is also named as "${other}"; names are compared ignoring case.`);
    seen.set(name.toLowerCase(), name);
    const tool = tools.get(name.toLowerCase());
    if (!tool) {
      const known = [...tools.values()].map((one) => one.function.name);
      fail(
        [...path, name],
        `No tool "${name}" among those that the model is offered. ${suggestNames(name, known, 'its tools')}`,
      );
    }
    for (const [index, rule] of list.entries()) new RuleCheck([...path, name, index], rule, tool, places, fail).run();
  }
}

class RuleCheck {
  readonly #known: string[] | undefined;

  constructor(
    readonly path: PropertyKey[],
    readonly rule: ConversationRule,
    readonly tool: Tool | undefined,
    readonly places: Places,
    readonly fail: Fail,
  ) {
    this.#known = argumentsOf(tool);
  }

  run(): void {
    const { when, effects = [], respond, error, malformed } = this.rule;
    if (when) this.#checkWhen(when);
    effects.forEach((operation, index) => this.#checkEffect(['effects', index], operation));
    if (respond !== undefined) this.#checkTemplate(['respond'], respond);
    if (error === undefined) return;
    this.#checkNames(['error'], error);
    if (respond !== undefined)
      this.fail([...this.path, 'respond'], 'cannot be combined with "error": a call has one answer.');
    if (malformed) this.fail([...this.path, 'malformed'], 'cannot be combined with "error", which is never JSON.');
  }

  #checkWhen({ arguments: expected, scoring_config: config, state }: NonNullable<ConversationRule['when']>): void {
    const path = [...this.path, 'when'];
    if (expected) checkParams([...path, 'arguments'], expected, config, undefined, this.fail);
    const modes = [config?.mode, ...Object.values(config?.params ?? {}).map(({ mode }) => mode)];
    if (modes.includes('semantic')) this.fail([...path, 'scoring_config'], NOT_BY_MEANING);
    for (const [pointer, value] of Object.entries(state ?? {})) {
      checkValue([...path, 'state', pointer], value, EXACT, this.fail);
      this.#checkPointer(['when', 'state', pointer], pointer, mayBeMissing(value));
    }
  }

  #checkEffect(path: PropertyKey[], operation: PatchOperation): void {
    if (keysOf(operation.path).includes('__proto__'))
      this.fail([...this.path, ...path, 'path'], 'cannot have the key "__proto__".');
    const isPut = operation.op === 'add' || operation.op === 'copy' || operation.op === 'move';
    if (this.#checkPointer([...path, 'path'], operation.path, isPut) && isPut) {
      const parent = this.places.unfitFor(operation.path);
      if (parent !== undefined) this.fail([...this.path, ...path, 'path'], hasNoPlace(parent));
    }
    if (operation.op === 'move' && operation.path.startsWith(`${operation.from}/`))
      this.fail([...this.path, ...path, 'path'], 'is inside of "from": a value cannot move into itself.');
    if ('from' in operation) this.#checkPointer([...path, 'from'], operation.from, false);
    if ('value' in operation) {
      if (operation.value === undefined) this.fail([...this.path, ...path, 'value'], 'is missing.');
      else this.#checkTemplate([...path, 'value'], operation.value);
      if (measure(operation.value).hasPrototypeKey)
        this.fail([...this.path, ...path, 'value'], 'has a key "__proto__", which no state can have.');
    }
    if (operation.op === 'remove' && operation.path === '')
      this.fail([...this.path, ...path, 'path'], 'is the whole state, which cannot be removed: replace it.');
  }

  /** Checks the references and texts of an answer or a value. */
  #checkTemplate(path: PropertyKey[], value: Json): void {
    if (typeof value === 'string') return this.#checkNames(path, value);
    if (Array.isArray(value)) return value.forEach((item, index) => this.#checkTemplate([...path, index], item));
    if (!isObject(value)) return;
    const key = Object.keys(value).find((one) => one === '$state' || one === '$argument');
    if (key === undefined) {
      for (const [name, inner] of Object.entries(value)) this.#checkTemplate([...path, name], inner);
      return;
    }
    const pointer = value[key];
    const here = [...path, key];
    if (Object.keys(value).length > 1)
      return this.fail([...this.path, ...here], `stands alone: {"${key}": pointer} takes no other keys.`);
    if (typeof pointer !== 'string' || !POINTER.test(pointer))
      return this.fail([...this.path, ...here], 'must be a JSON Pointer, such as "/order_id".');
    if (key === '$state') return void this.#checkPointer(here, pointer, false);
    this.#checkNames(here, pointer);
    const [first] = keysOf(pointer);
    if (first !== undefined && namesIn(first).length === 0) this.#checkName(here, first);
  }

  /** @returns whether it leads somewhere */
  #checkPointer(path: PropertyKey[], pointer: string, isOfParent: boolean): boolean {
    this.#checkNames(path, pointer);
    const missing = this.places.missingIn(pointer, isOfParent);
    if (missing !== undefined) this.fail([...this.path, ...path], leadsNowhere(missing));
    return missing === undefined;
  }

  #checkNames(path: PropertyKey[], text: string): void {
    for (const name of new Set(namesIn(text))) this.#checkName(path, name, `"{${name}}"`);
  }

  #checkName(path: PropertyKey[], name: string, written = `"${name}"`): void {
    if (!this.#known || this.#known.includes(name)) return;
    const brace = written.startsWith('"{') ? ' A brace itself is written "{{".' : '';
    this.fail(
      [...this.path, ...path],
      `names ${written}, which is not an argument of "${this.tool!.function.name}". ` +
        suggestNames(name, this.#known, 'its arguments') +
        brace,
    );
  }
}

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export const leadsNowhere = (missing: string): string =>
  `leads nowhere: the state has no "${missing}", and no effect makes it.`;

const hasNoPlace = (parent: string): string =>
  `has no place: what the state has at "${parent}" is neither an object nor a list with such an index.`;

/** Whether an expected value holds where nothing is. */
export const mayBeMissing = (expected: Json): boolean => ['$absent', '$optional'].includes(matcherOf(expected) ?? '');

/** The arguments that a tool declares; undefined where it may have others. */
function argumentsOf(tool: Tool | undefined): string[] | undefined {
  const parameters = tool?.function.parameters;
  if (!parameters || !isObject(parameters.properties)) return undefined;
  const isOpen = Object.keys(parameters).some((key) => OPENING.has(key)) || isObject(parameters.additionalProperties);
  return isOpen || parameters.additionalProperties === true ? undefined : Object.keys(parameters.properties);
}
const OPENING = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties']);
