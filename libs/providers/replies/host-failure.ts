import { UNREAD_CALLS } from '#lib/contracts/call-fields';
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

/** OpenAI's Responses name an error by a code, Anthropic's hosts by a type, Google by a status in words. */
const STATUS_OF_WORD: Record<string, number> = {
  rate_limit_exceeded: 429,
  server_error: 500,
  invalid_prompt: 400,
  overloaded_error: 529,
  api_error: 500,
  timeout_error: 504,
  rate_limit_error: 429,
  request_too_large: 413,
  not_found_error: 404,
  permission_error: 403,
  billing_error: 402,
  authentication_error: 401,
  invalid_request_error: 400,
  resource_exhausted: 429,
  unavailable: 503,
  internal: 500,
  deadline_exceeded: 504,
  permission_denied: 403,
  unauthenticated: 401,
  invalid_argument: 400,
  not_found: 404,
};
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
    const status = STATUS_OF_WORD[text.toLowerCase()] ?? Number(text);
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

const REASONS: Record<string, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  complete: 'stop',
  completed: 'stop',
  pause_turn: 'stop',
  tool_calls: 'tool_calls',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'function_call',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  max_length: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  error_limit: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
  sensitive: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
  language: 'content_filter',
  model_armor: 'content_filter',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  image_safety: 'content_filter',
  image_prohibited_content: 'content_filter',
  image_recitation: 'content_filter',
  error_toxic: 'content_filter',
};
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
  if (Object.hasOwn(REASONS, given)) return { reason: REASONS[given]!, isKnown: true };
  const words = given
    .slice(0, 200)
    .toLowerCase()
    .split(':')
    .map((part) => part.trim().replace(/[\s-]+/g, '_'));
  for (const word of words.toReversed()) {
    if (UNREAD_CALLS.has(word)) return { reason: word, isKnown: true };
    const reason = Object.hasOwn(REASONS, word) ? REASONS[word]! : undefined;
    if (reason !== undefined) return { reason, isKnown: true };
    if (BROKE_OFF.test(word)) return { status: STATUS_OF_PHRASE.find(([phrase]) => phrase.test(word))?.[1] ?? 502 };
  }
  return { reason: words.at(-1)!, isKnown: false };
}

/** Whether the model made a call that its host could not read. */
export function isBadCall(reason: Json | undefined): boolean {
  const ending = readEnding(reason);
  return 'reason' in ending && UNREAD_CALLS.has(ending.reason ?? '');
}
