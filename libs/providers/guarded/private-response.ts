import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { failedGenerationIn } from '../replies/failed-generation.js';
import { waitInFields } from '../waits/wait-in-fields.js';

/** An error message is a sentence or two; a longer one would be somebody's data. */
const MAX_MESSAGE_CHARACTERS = 300;
const MAX_WORD_CHARACTERS = 100;
const MAX_ERROR_CHARACTERS = 1_000_000;
const MAX_DETAILS = 10;

/**
 * What users may see of a response without a reply that came from a private address. Whoever adds a provider chooses
 * its address, and could otherwise read what only machines inside the network can. Only an error in the format of a
 * model API is shown, shortened, since that is how a local model says what is wrong.
 * @returns an object `{error: {message}}`, as APIs of models answer errors
 */
export function redactPrivateResponse(text: string, contentType: string | undefined): { error: JsonObject } {
  const mayBeError = /\bjson\b/i.test(contentType ?? '') && text.length <= MAX_ERROR_CHARACTERS;
  const error = mayBeError ? parseModelApiError(text) : undefined;
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

function parseModelApiError(text: string): JsonObject | undefined {
  try {
    return modelApiError(parseJson(text));
  } catch {
    return undefined;
  }
}

/**
 * The error in a response of OpenAI, Anthropic or Google (`{"error": {"message"}}`, Google's also in a list), of Ollama
 * (`{"error": "..."}`) or of vLLM (`{"object": "error", "message"}`), with the fields that say what to do about it.
 */
export function modelApiError(body: Json): JsonObject | undefined {
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return undefined;
  const error = typeof outer.error === 'string' ? { message: outer.error } : isVllmError(outer) ? outer : outer.error;
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

const isVllmError = (body: JsonObject): boolean => body.object === 'error';
const isShortText = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.length <= MAX_WORD_CHARACTERS;

/** Google says only in the details that a key is wrong, and which quota is used up. */
const reasonAndQuotas = ({ reason, violations }: JsonObject): JsonObject => ({
  ...(isShortText(reason) && { reason }),
  ...(Array.isArray(violations) && {
    violations: violations
      .slice(0, MAX_DETAILS)
      .flatMap((one) => (isObject(one) && isShortText(one.quotaId) ? [{ quotaId: one.quotaId }] : [])),
  }),
});
