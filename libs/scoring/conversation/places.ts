import type { Conversation, ConversationRule, PatchOperation } from '#lib/contracts/conversation';
import { isObject, type Json } from '#lib/contracts/json/json';
import { isReference, namesIn } from './placeholders.js';
import { childOf, escapeKey, keysOf } from './pointer.js';

/** More places of a state are not walked through: what leads to so many leads somewhere. */
const MAX_PLACES = 1000;
/** Steps of pointers through the state and effects. Beyond them, a pointer counts as leading somewhere. */
const MAX_STEPS = 1_000_000;

/** A key of a pointer; an argument stands for any. */
type Step = string | typeof ANY;
const ANY = Symbol('any key');
const stepsOf = (pointer: string): Step[] =>
  keysOf(pointer).map((key) => (namesIn(key).length > 0 ? ANY : key.replaceAll('{{', '{')));

/** What an effect can put where. */
interface Addition {
  steps: Step[];
  value: Json | typeof ANY;
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
      additions.map((one) => [`${one.steps.map(String).join('/')} ${JSON.stringify(one.value)}`, one]),
    );
    this.#additions = [...byText.values()];
  }

  /**
   * Where a pointer stops leading anywhere: the part of it up to the first key that no state can have. Undefined when
   * it leads somewhere.
   * @param isOfParent whether its last key may be missing: what is put there, or expected to be absent
   */
  missingIn(pointer: string, isOfParent = false): string | undefined {
    const steps = stepsOf(pointer);
    const keys = keysOf(pointer);
    const needed = isOfParent ? Math.max(0, steps.length - 1) : steps.length;
    for (let length = 1; length <= needed; length++) {
      if (!this.#leads(steps.slice(0, length)))
        return keys
          .slice(0, length)
          .map((key) => `/${escapeKey(key)}`)
          .join('');
    }
    return undefined;
  }

  #leads(steps: readonly Step[]): boolean {
    if (this.#leadsIn(this.state, steps)) return true;
    return this.#additions.some((one) => {
      this.#steps += steps.length;
      if (this.#steps > MAX_STEPS) return true;
      if (one.steps.length > steps.length || !one.steps.every((step, index) => isSame(step, steps[index]!)))
        return false;
      return one.value === ANY || this.#leadsIn(one.value, steps.slice(one.steps.length));
    });
  }

  /** Whether keys lead to a value; behind a reference is anything, and an empty list or object may get any key. */
  #leadsIn(root: Json, steps: readonly Step[]): boolean {
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
    return places.length > 0;
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
  const child = step === '-' && Array.isArray(place) ? null : childOf(place, step);
  return child === undefined ? [] : [child];
}

const isSame = (a: Step, b: Step): boolean => a === ANY || b === ANY || a === b;

function additionOf(operation: PatchOperation): Addition[] {
  if (operation.op === 'test' || operation.op === 'remove') return [];
  const steps = stepsOf(operation.path).map((step) => (step === '-' ? ANY : step));
  return [{ steps, value: 'value' in operation ? operation.value : ANY }];
}
