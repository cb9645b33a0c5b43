import { REJECTED_CALL_REASONS } from '#lib/contracts/call-fields';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ErrorKind } from '#lib/contracts/run-input';

/** A host's failure where a model's reply was expected. */
export interface HostFailure {
  failed: {
    /** A description, in the host's words if it has any. */
    message: string;
    /** The equivalent HTTP status; undefined for a merely bad response. */
    status?: number;
    /** The host's own error. */
    error?: Json;
  };
}

export const isHostFailure = (read: object): read is HostFailure => 'failed' in read;

/** The failure for a body that is not a valid reply in its apparent format. */
export const badBody = (message: string): HostFailure => ({ failed: { message } });

/**
 * The error in a body or a choice, if there is one. Some hosts answer 200 with an error inside, alone or along with
 * part of a reply. An `error` of `null`, `false`, `""` or `{}` does not count.
 */
export function errorIn({ error, type, code, message }: JsonObject): JsonObject | undefined {
  if (typeof error === 'string') return error === '' ? undefined : { message: error };
  if (isObject(error)) return Object.values(error).some(isSaid) ? error : undefined;
  if (Array.isArray(error)) return error.length ? { message: JSON.stringify(error).slice(0, 1000) } : undefined;
  if (error === true || typeof error === 'number') return { message: 'It does not say why.', code: error };
  return type === 'error'
    ? { message: toText(message ?? 'It does not say why.'), ...(code !== undefined && { code }) }
    : undefined;
}

const isSaid = (value: Json): boolean => value !== null && value !== '' && value !== 0 && value !== false;

/** A table by word, from the words of each value. */
const byWord = (words: Record<string, string>): ReadonlyMap<string, string> =>
  new Map(Object.entries(words).flatMap(([value, list]) => list.split(' ').map((word) => [word, value] as const)));

/** OpenAI's Responses name an error by a code, Anthropic's hosts by a type, Google by a status in words. */
const STATUS_OF_WORD = byWord({
  400: 'invalid_prompt invalid_request_error invalid_argument',
  401: 'authentication_error unauthenticated',
  402: 'billing_error',
  403: 'permission_error permission_denied',
  404: 'not_found_error not_found',
  413: 'request_too_large',
  429: 'rate_limit_exceeded rate_limit_error resource_exhausted',
  500: 'server_error api_error internal',
  503: 'unavailable',
  504: 'timeout_error deadline_exceeded',
  529: 'overloaded_error',
});
/** Phrases in the codes and types of other hosts. */
const STATUS_OF_PHRASE: [RegExp, number][] = [
  [/rate.?limit|too.?many.?requests|throttl/i, 429],
  [/overload|unavailable|capacity|insufficient_system_resource/i, 503],
  [/time.?d?.?out/i, 504],
  [/server.?error|internal|network|upstream/i, 502],
];

/** The HTTP status equivalent to an error inside a 200; undefined if it cannot be determined. */
function statusOf(error: JsonObject): number | undefined {
  for (const field of [error.code, error.status, error.type, error.status_code]) {
    const text = toText(field ?? undefined);
    const status = Number(STATUS_OF_WORD.get(text.toLowerCase()) ?? text);
    if (status >= 400 && status <= 599) return status;
  }
  const words = [error.code, error.type]
    .map((field) => (typeof field === 'string' ? field.slice(0, 200) : ''))
    .join(' ');
  return STATUS_OF_PHRASE.find(([phrase]) => phrase.test(words))?.[1];
}

/** @param otherwise the status for an error without one */
export function failureOf(error: JsonObject, otherwise?: number): HostFailure {
  const status = statusOf(error) ?? otherwise;
  const message = typeof error.message === 'string' && error.message ? error.message : toText(error).slice(0, 1000);
  return { failed: { message, ...(status !== undefined && { status }), error } };
}

const FILTER = new RegExp(
  [
    'content_?filter',
    'content_(?:policy|safety)',
    'ResponsibleAIPolicy',
    'data_?inspection_?failed',
    'content exists risk',
    'considered high risk',
    'flagged_input',
    'potentially violating',
    'blocked by (?:our |the )?(?:content|safety)',
    'prohibited_content',
    'invalid_prompt',
    'moderation',
  ].join('|'),
  'i',
);

/**
 * Classifies an HTTP status, whether it came as one or inside a 200. A filter in front of the model refuses with a 400
 * or 403 at OpenAI, Azure, OpenRouter, Google, DeepSeek and Qwen.
 * @param words of the error: its message, code and type
 */
export function kindOfFailure(status: number, words: string): ErrorKind {
  if ([400, 403, 422, 451].includes(status) && FILTER.test(words)) return 'blocked';
  const isUnpaid = status === 402 || (status === 400 && /credit balance is too low/i.test(words));
  if (status === 429 || isUnpaid) return 'rate_limited';
  if (status === 401 || status === 403) return 'auth';
  if (status === 408) return 'timeout';
  if (status >= 500) return 'provider_5xx';
  return status === 409 || status < 400 ? 'bad_response' : 'bad_request';
}

/** The meaning of a host's finish reason for the reply. */
export type Ending =
  | { reason: string | null; isKnown: boolean }
  /** The host aborted, with the equivalent HTTP status. */
  | { status: number };

const REASONS = byWord({
  stop: 'stop stop_sequence end_turn eos eos_token complete completed pause_turn',
  tool_calls: 'tool_calls tool_call tool_use',
  function_call: 'function_call',
  length: 'length max_tokens max_output_tokens max_length model_length model_context_window_exceeded error_limit',
  content_filter:
    'content_filter refusal safety sensitive recitation blocklist prohibited_content spii language model_armor ' +
    'guardrail_intervened content_filtered image_safety image_prohibited_content image_recitation error_toxic',
});
const BROKE_OFF = new RegExp(
  [
    '^(?:failure|fault|aborted|cancell?ed|cancel|user_cancel|interrupted|timed_out|rate_limit(?:ed)?|exception)$',
    '(?:^|_)(?:error|failure|failed|abort|aborted|timeout|unavailable|overloaded|disconnect(?:ed)?)$',
    '^(?:insufficient|internal|network|engine|server|upstream|error)_',
    '^(?:preempted|evicted|killed|terminated|expired|oom|out_of_memory|deadline_exceeded|quota_exceeded)$',
  ].join('|'),
);

/**
 * Reads a finish reason, also if Google's OpenAI-compatible endpoint appends its own after a colon
 * (`function_call_filter: MALFORMED_FUNCTION_CALL`).
 */
export function readEnding(given: Json | undefined): Ending {
  if (typeof given !== 'string' || given === '') return { reason: null, isKnown: true };
  const exact = REASONS.get(given);
  if (exact !== undefined) return { reason: exact, isKnown: true };
  const words = given
    .slice(0, 200)
    .toLowerCase()
    .split(':')
    .map((part) => part.trim().replace(/[\s-]+/g, '_'));
  for (const word of words.toReversed()) {
    if (REJECTED_CALL_REASONS.has(word)) return { reason: word, isKnown: true };
    const reason = REASONS.get(word);
    if (reason !== undefined) return { reason, isKnown: true };
    if (BROKE_OFF.test(word)) return { status: STATUS_OF_PHRASE.find(([phrase]) => phrase.test(word))?.[1] ?? 502 };
  }
  return { reason: words.at(-1)!, isKnown: false };
}

/** Whether the model made a call that its host could not read. */
export function isBadCall(reason: Json | undefined): boolean {
  const ending = readEnding(reason);
  return 'reason' in ending && REJECTED_CALL_REASONS.has(ending.reason ?? '');
}
