import { isDeeperThan, type Json } from '#lib/contracts/json/json';
import type { Bound, ParsedCall } from '#lib/contracts/verdict';

/**
 * How large a reply may be to be scored. No model that does what it is asked comes near; one that repeats itself
 * for ever does, and its reply is wrong whatever stands in it.
 */
export const MAX_CALLS = 1000;
/** UTF-8 bytes of a text that is searched for calls. */
export const MAX_SEARCHED_BYTES = 2 ** 20;
/** Levels of lists and objects in a call's arguments. */
export const MAX_ARGUMENT_DEPTH = 64;
/** Calls times expected calls. */
export const MAX_PAIRS = 100_000;
/** Comparisons by meaning: each asks for embeddings. */
export const MAX_COMPARISONS = 2000;

const CALLS_SHOWN = 10;
const TEXT_SHOWN = 2000;

/**
 * What a verdict shows of the calls of an oversized reply: the first few, and of those no more than their
 * beginning.
 */
export const firstCalls = (calls: readonly ParsedCall[]): ParsedCall[] =>
  calls.slice(0, CALLS_SHOWN).map((call) => {
    const raw = call.raw ?? JSON.stringify(call.arguments);
    const long = raw.length > TEXT_SHOWN;
    return {
      ...call,
      name: call.name.slice(0, 200),
      ...(long && { arguments: null, raw: `${raw.slice(0, TEXT_SHOWN)}...` }),
    };
  });

/** How the bound of a verdict is told. */
export function describeBound({ what, limit, found }: Bound): string {
  const had = found === undefined ? '' : `${found.toLocaleString('en')} `;
  const most = limit.toLocaleString('en');
  switch (what) {
    case 'calls':
      return `The reply makes ${had || 'more '}calls${had ? '' : ' than that'}; more than ${most} are not scored.`;
    case 'text':
      return `The reply has ${had}bytes of text to search for calls; more than ${most} are not searched.`;
    case 'depth':
      return `The arguments of a call are nested deeper than ${most} levels.`;
    case 'pairs':
      return `There are ${had}pairs of a call and an expected call; more than ${most} are not compared.`;
    case 'comparisons':
      return `The reply asks for more than ${most} comparisons by meaning.`;
  }
}

/** Whether arguments are nested deeper than is scored. */
export const exceedsArgumentDepth = (value: Json): boolean => isDeeperThan(value, MAX_ARGUMENT_DEPTH);

/** How deep lists and objects stand in one another in a JSON text, by its brackets alone. */
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
