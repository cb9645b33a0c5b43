import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { failedGenerationIn } from '../replies/failed-generation.js';
import { waitInFields } from '../waits/wait-in-fields.js';

/** An error message is a sentence or two; a longer one might be someone's data. */
const MAX_MESSAGE_CHARACTERS = 300;
const MAX_WORD_CHARACTERS = 100;
const MAX_ERROR_CHARACTERS = 1_000_000;
const MAX_DETAILS = 10;

/**
 * The part of a response from a private address, without a reply, that users may see. Anyone who adds a provider
 * chooses its address, and could otherwise read what only machines inside the network can. Only an error in the format
 * of a model API is shown, shortened, since that is how a local model reports a problem.
 * @param isPortkey whether the request had a header of Portkey's
 * @returns an object `{error: {message}}`, the error format of model APIs
 */
export function redactPrivateResponse(
  text: string,
  contentType: string | undefined,
  isPortkey = false,
): { error: JsonObject } {
  const mayBeError = /\bjson\b/i.test(contentType ?? '') && text.length <= MAX_ERROR_CHARACTERS;
  const error = mayBeError ? parseModelApiError(text, isPortkey) : undefined;
  if (error) return { error };
  const message =
    `${describeContent(text, contentType)}, which is not shown because it comes from a private address. ` +
    "Look into that server's own log";
  return { error: { message } };
}

const describeContent = (text: string, contentType: string | undefined): string =>
  contentType?.includes('html') || /^\s*<(!doctype|html)/i.test(text)
    ? 'a web page'
    : 'something that is not an error of a model API';

function parseModelApiError(text: string, isPortkey: boolean): JsonObject | undefined {
  try {
    return modelApiError(parseJson(text), isPortkey);
  } catch {
    return undefined;
  }
}

/**
 * The error in a response of OpenAI, Anthropic or Google (`{"error": {"message"}}`, Google's also in a list), of Ollama
 * (`{"error": "..."}`), of vLLM (`{"object": "error", "message"}`) or of FastAPI (`{"detail": [{"type", "loc",
 * "msg"}]}`), with the fields needed to act on it.
 * @param isPortkey whether Portkey's gateway was asked, whose format (`{"status": "failure", "message"}`) others use
 */
export function modelApiError(body: Json, isPortkey = false): JsonObject | undefined {
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return undefined;
  if (isFastApiError(outer)) return fastApiError(outer);
  const isWhole = isVllmError(outer) || (isPortkey && isPortkeyError(outer));
  const error = typeof outer.error === 'string' ? { message: outer.error } : isWhole ? outer : outer.error;
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  const kept: JsonObject = { message: error.message.slice(0, MAX_MESSAGE_CHARACTERS) };
  for (const name of ['type', 'code', 'status', 'param']) {
    const value = error[name];
    if (typeof value === 'number' || isShortText(value)) kept[name] = value;
  }
  const waitMs = waitInFields(body);
  if (waitMs !== undefined) kept.retry_after_ms = Math.ceil(waitMs);
  // The model's own output, which is a reply.
  const generation = failedGenerationIn(error);
  if (generation !== undefined) kept.failed_generation = generation;
  const details = Array.isArray(error.details) ? error.details.filter(isObject).slice(0, MAX_DETAILS) : [];
  if (details.length) kept.details = details.map(reasonAndQuotas);
  return kept;
}

interface FastApiError {
  detail: { type: string; loc: (string | number)[]; msg: string }[];
}
const FAST_API_FIELDS = new Set(['type', 'loc', 'msg', 'input', 'ctx', 'url']);

const isFastApiError = (body: JsonObject): body is JsonObject & FastApiError =>
  Object.keys(body).length === 1 &&
  Array.isArray(body.detail) &&
  body.detail.length > 0 &&
  body.detail.every(
    (one) =>
      isObject(one) &&
      typeof one.type === 'string' &&
      typeof one.msg === 'string' &&
      Array.isArray(one.loc) &&
      one.loc.every((part) => typeof part === 'string' || typeof part === 'number') &&
      Object.keys(one).every((name) => FAST_API_FIELDS.has(name)),
  );

/** Which fields of a request are wrong and why, without their values. */
function fastApiError({ detail: all }: FastApiError): JsonObject {
  const shorten = (text: string): string => text.slice(0, MAX_WORD_CHARACTERS);
  const detail = all.slice(0, MAX_DETAILS).map(({ type, loc, msg }) => ({
    type: shorten(type),
    loc: loc.slice(0, MAX_DETAILS).map((part) => (typeof part === 'string' ? shorten(part) : part)),
    msg: shorten(msg),
  }));
  const message = detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return { message: message.slice(0, MAX_MESSAGE_CHARACTERS), detail };
}

const isVllmError = (body: JsonObject): boolean => body.object === 'error';
const isPortkeyError = (body: JsonObject): boolean =>
  body.status === 'failure' && Object.keys(body).sort().join() === 'message,status';
const isShortText = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.length <= MAX_WORD_CHARACTERS;

/** Google reports only in the details that a key is wrong, and which quota is used up. */
const reasonAndQuotas = ({ reason, violations }: JsonObject): JsonObject => ({
  ...(isShortText(reason) && { reason }),
  ...(Array.isArray(violations) && {
    violations: violations
      .slice(0, MAX_DETAILS)
      .flatMap((one) => (isObject(one) && isShortText(one.quotaId) ? [{ quotaId: one.quotaId }] : [])),
  }),
});
