import { isDeeperThan, type Json } from '#lib/contracts/json/json';
import type { Bound, ParsedCall } from '#lib/contracts/verdict';

/*
 * The size of the largest reply that is scored. A model that does its task stays far below. One that repeats itself
 * endlessly exceeds it, and its reply is wrong whatever it contains.
 */

/** Calls in a reply. */
export const MAX_CALLS = 1000;
/** UTF-8 bytes of text that is searched for calls. */
export const MAX_SEARCHED_BYTES = 2 ** 20;
/** Nesting levels of lists and objects in the arguments of a call. */
export const MAX_ARGUMENT_DEPTH = 64;
/** Calls times expected calls. */
export const MAX_PAIRS = 100_000;
/** Comparisons by meaning, which need embeddings. */
export const MAX_COMPARISONS = 2000;

const MAX_CALLS_SHOWN = 10;
const MAX_CHARACTERS_SHOWN = 2000;

/** The part of an oversized reply's calls that a verdict shows: the start of the first few. */
export const firstCalls = (calls: readonly ParsedCall[]): ParsedCall[] =>
  calls.slice(0, MAX_CALLS_SHOWN).map((call) => {
    const raw = call.raw ?? JSON.stringify(call.arguments);
    const long = raw.length > MAX_CHARACTERS_SHOWN;
    return {
      ...call,
      name: call.name.slice(0, 200),
      ...(long && { arguments: null, raw: `${raw.slice(0, MAX_CHARACTERS_SHOWN)}...` }),
    };
  });

/** Describes which bound a reply exceeds. */
export function describeBound({ what, limit, found }: Bound): string {
  const had = found === undefined ? '' : `${found.toLocaleString('en')} `;
  const most = limit.toLocaleString('en');
  switch (what) {
    case 'calls':
      return found === undefined
        ? `The reply makes more than ${most} calls, which are not scored.`
        : `The reply makes ${had}calls; more than ${most} are not scored.`;
    case 'text':
      return `The reply has ${had}bytes of text to search for calls; more than ${most} are not searched.`;
    case 'depth':
      return `The arguments of a call are nested deeper than ${most} levels.`;
    case 'pairs':
      return `There are ${had}pairs of a call and an expected call; more than ${most} are not compared.`;
    case 'comparisons':
      return `The reply needs more than ${most} comparisons by meaning.`;
    case 'state':
      return `The model's calls would make the state larger than ${most} bytes, so the conversation ended.`;
    case 'answers':
      return `The answers to the model's calls exceed ${most} bytes, so the conversation ended.`;
    case 'messages':
      return `What the model wrote has ${had}bytes; more than ${most} are not sent back to it.`;
  }
}

/** Whether arguments are nested deeper than the bound. */
export const exceedsArgumentDepth = (value: Json): boolean => isDeeperThan(value, MAX_ARGUMENT_DEPTH);

/** The nesting depth of a JSON text, by its brackets alone. */
export function jsonDepth(text: string): number {
  let [level, deepest] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++level);
    else if (code === 0x7d || code === 0x5d) level--;
  }
  return deepest;
}
