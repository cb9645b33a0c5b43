import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderFailure } from '#lib/providers/failure';

const MAX_WORDS_CHARACTERS = 4000;
/** Every host accepts at least this many characters. */
const MIN_LONG_CHARACTERS = 4000;
const TOO_LONG = /context|too (?:long|large|many tokens)|maximum|exceed|above_max|at most|limit/i;
const UNREADABLE = /argument|json|pars|tool|function|messages/i;

/**
 * Whether a host refuses the next round of a chain because of what the model wrote in earlier rounds: arguments that
 * are not JSON, or more text than everything else in the request.
 * @param given the messages of the case, and the results of calls
 * @param written the messages of the model
 */
export function isRefusedForReplies(
  failure: ProviderFailure | undefined,
  given: readonly Json[],
  written: readonly JsonObject[],
): boolean {
  const { kind, status, message, body = '' } = failure ?? {};
  if (kind !== 'bad_request' || ![400, 413, 422].includes(status ?? 0)) return false;
  const words = `${message} ${body}`.slice(0, MAX_WORDS_CHARACTERS);
  if (UNREADABLE.test(words) && written.some(hasUnreadableCall)) return true;
  const isLong = lengthOf(written) > Math.max(MIN_LONG_CHARACTERS, lengthOf(given));
  return isLong && (status === 413 || TOO_LONG.test(words));
}

const lengthOf = (messages: readonly Json[]): number => JSON.stringify(messages).length;

const hasUnreadableCall = ({ tool_calls: calls }: JsonObject): boolean =>
  ((calls as JsonObject[] | undefined) ?? []).some((call) => !isJsonObject((call.function as JsonObject).arguments));

function isJsonObject(text: Json | undefined): boolean {
  try {
    return typeof text === 'string' && isObject(parseJson(text));
  } catch {
    return false;
  }
}
