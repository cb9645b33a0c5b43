import type { Conversation, ConversationRule, PatchOperation } from '#lib/contracts/conversation';
import { isObject, type Json } from '#lib/contracts/json/json';
import { isReference, namesIn } from './placeholders.js';
import { childOf, escapeKey, keysOf } from './pointer.js';

/** More places of a state are not walked through: what leads to so many leads somewhere. */
const MAX_PLACES = 1000;
/** Checks of pointers against effects. Beyond them, a pointer counts as leading somewhere. */
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
    if (leadsIn(this.state, steps)) return true;
    return this.#additions.some((one) => {
      this.#steps += steps.length;
      if (this.#steps > MAX_STEPS) return true;
      if (one.steps.length > steps.length || !one.steps.every((step, index) => isSame(step, steps[index]!)))
        return false;
      return one.value === ANY || leadsIn(one.value, steps.slice(one.steps.length));
    });
  }
}

const isSame = (a: Step, b: Step): boolean => a === ANY || b === ANY || a === b;

function additionOf(operation: PatchOperation): Addition[] {
  if (operation.op === 'test' || operation.op === 'remove') return [];
  const steps = stepsOf(operation.path).map((step) => (step === '-' ? ANY : step));
  return [{ steps, value: 'value' in operation ? operation.value : ANY }];
}

/** Whether keys lead to a value; behind a reference is anything, and an empty list or object may get any key. */
function leadsIn(root: Json, steps: readonly Step[]): boolean {
  let places: Json[] = [root];
  for (const step of steps) {
    if (places.length > MAX_PLACES || places.some((place) => isReference(place))) return true;
    if (step === ANY && places.some(isEmpty)) return true;
    places = places.flatMap((place): Json[] => {
      if (step === ANY) return typeof place === 'object' && place !== null ? (Object.values(place) as Json[]) : [];
      const child = step === '-' && Array.isArray(place) ? null : childOf(place, step);
      return child === undefined ? [] : [child];
    });
  }
  return places.length > 0;
}

const isEmpty = (value: Json): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
