import type { Conversation, ConversationRule, PatchOperation } from '#lib/contracts/conversation';
import { isObject, type Json } from '#lib/contracts/json/json';
import { isReference, namesIn, PLACEHOLDER } from './placeholders.js';
import { childOf, escapeKey, indexOf, keysOf } from './pointer.js';

/** More places of a state are not walked through: what leads to so many leads somewhere. */
const MAX_PLACES = 1000;
/** Steps of pointers through the state and effects. Beyond them, a pointer counts as leading somewhere. */
const MAX_STEPS = 1_000_000;

/** A key of a pointer; an argument stands for any. */
type Step = string | typeof ANY;
const ANY = Symbol('any key');
/** A key of a rule's pointer. The name of an argument may have a slash. */
const KEY = new RegExp(`/((?:${PLACEHOLDER.source}|[^/])*)`, 'gu');
const stepsOf = (pointer: string): Step[] =>
  Array.from(pointer.matchAll(KEY), ([key]) => (namesIn(key).length > 0 ? ANY : keysOf(key.replaceAll('{{', '{'))[0]!));

const asKey = (key: string): string => `/${escapeKey(key)}`;

/** What an effect can put where. */
interface Addition {
  steps: Step[];
  value: Json | typeof ANY;
  isReplaced: boolean;
}

/** The places that a conversation's state has at its start, or that effects of its rules can make. */
export class Places {
  readonly #additions: Addition[];
  /** A state may have many members, and many pointers that look at them. */
  readonly #members = new WeakMap<object, Json[]>();
  #steps = 0;

  constructor(
    readonly state: Json,
    tools: NonNullable<Conversation['tools']>,
  ) {
    const rules = Object.values(tools).flat();
    const additions = rules.flatMap(({ effects = [] }: ConversationRule) => effects.flatMap(additionOf));
    const byText = new Map(
      additions.map((one) => [
        `${one.isReplaced} ${one.steps.map(String).join('/')} ${JSON.stringify(one.value)}`,
        one,
      ]),
    );
    this.#additions = [...byText.values()];
  }

  /**
   * Where a pointer stops leading anywhere: the part of it up to the first key that no state can have. Undefined when
   * it leads somewhere.
   * @param pointer of a rule, with arguments; or the keys of one that has none
   * @param isOfParent whether its last key may be missing: what is put there, or expected to be absent
   */
  missingIn(pointer: string | readonly string[], isOfParent = false): string | undefined {
    const steps = typeof pointer === 'string' ? stepsOf(pointer) : pointer;
    const keys = typeof pointer === 'string' ? Array.from(pointer.matchAll(KEY), ([key]) => key) : pointer.map(asKey);
    const needed = isOfParent ? Math.max(0, steps.length - 1) : steps.length;
    for (let length = 1; length <= needed; length++)
      if (!this.#hasPlace(steps.slice(0, length))) return keys.slice(0, length).join('');
    return undefined;
  }

  /** The pointer of a parent, which leads somewhere, if nothing there can get the last key of this pointer. */
  unfitFor(pointer: string): string | undefined {
    const steps = stepsOf(pointer);
    const last = steps.pop();
    if (last === undefined || this.#leads(steps, (place) => canHold(place, last))) return undefined;
    return Array.from(pointer.matchAll(KEY), ([key]) => key)
      .slice(0, -1)
      .join('');
  }

  /** Whether keys lead to a value. A list has nothing at "-". */
  #hasPlace(steps: readonly Step[]): boolean {
    return (
      this.#leads(steps) && (steps.at(-1) !== '-' || this.#leads(steps.slice(0, -1), (place) => !Array.isArray(place)))
    );
  }

  /** @param fits what else is asked of one of the values */
  #leads(steps: readonly Step[], fits?: (place: Json) => boolean): boolean {
    if (this.#leadsIn(this.state, steps, fits)) return true;
    return this.#additions.some((one) => {
      this.#steps += steps.length;
      if (this.#steps > MAX_STEPS) return true;
      const below = steps.length - one.steps.length;
      // What is replaced was there before.
      if (below < 0 || (below === 0 && one.isReplaced && !fits)) return false;
      if (!one.steps.every((step, index) => isSame(step, steps[index]!))) return false;
      return one.value === ANY || this.#leadsIn(one.value, steps.slice(one.steps.length), fits);
    });
  }

  /** Whether keys lead to a value; behind a reference is anything, and an empty list or object may get any key. */
  #leadsIn(root: Json, steps: readonly Step[], fits?: (place: Json) => boolean): boolean {
    let places: Json[] = [root];
    for (const step of steps) {
      this.#steps += places.length;
      if (this.#steps > MAX_STEPS || places.some((place) => isReference(place))) return true;
      const next: Json[] = [];
      for (const place of places) {
        const found = step === ANY ? this.#membersOf(place) : childrenOf(place, step);
        if (found === undefined || next.length + found.length > MAX_PLACES) return true;
        next.push(...found);
      }
      places = next;
    }
    return fits ? places.some(fits) : places.length > 0;
  }

  /** The values in a list or an object; undefined where it is empty, and may get any. */
  #membersOf(place: Json): readonly Json[] | undefined {
    if (!Array.isArray(place) && !isObject(place)) return [];
    let members = this.#members.get(place);
    if (!members) this.#members.set(place, (members = Object.values(place) as Json[]));
    return members.length > 0 ? members : undefined;
  }
}

function childrenOf(place: Json, step: string): Json[] {
  const child = childOf(place, step);
  return child === undefined ? [] : [child];
}

/** Whether a value may get a child under a key: an index, in a list. */
const canHold = (place: Json, key: Step): boolean =>
  Array.isArray(place) ? key === ANY || key === '-' || indexOf(key) !== undefined : isObject(place);

const isSame = (a: Step, b: Step): boolean => a === ANY || b === ANY || a === b;

function additionOf(operation: PatchOperation): Addition[] {
  if (operation.op === 'test' || operation.op === 'remove') return [];
  const steps = stepsOf(operation.path).map((step) => (step === '-' ? ANY : step));
  return [{ steps, value: 'value' in operation ? operation.value : ANY, isReplaced: operation.op === 'replace' }];
}
