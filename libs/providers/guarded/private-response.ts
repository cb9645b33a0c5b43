import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';

/** A message is a sentence or two; a longer one would be somebody's data. */
const LONGEST_MESSAGE = 300;
const LONGEST_WORD = 100;
const LARGEST_ERROR_BYTES = 1_000_000;

/**
 * What may be told of an answer other than a reply that came from a private address. Whoever may add a provider
 * chooses the address, and would otherwise read there what only machines inside can. An error in the words of a
 * model API is told in short, since that is how a local model says what it lacks; nothing else is.
 * @returns an object `{error: {message}}`, as APIs of models answer errors
 */
export function redactPrivateResponse(text: string, contentType: string | undefined): { error: JsonObject } {
  const known =
    /\bjson\b/i.test(contentType ?? '') && text.length <= LARGEST_ERROR_BYTES ? errorOfModelApi(text) : undefined;
  return {
    error: known ?? {
      message:
        `${whatCame(text, contentType)}, which is not shown because it comes from a private address. ` +
        "Look into that server's own log",
    },
  };
}

const whatCame = (text: string, contentType: string | undefined): string =>
  contentType?.includes('html') || /^\s*<(!doctype|html)/i.test(text)
    ? 'a web page'
    : 'something that is no error of a model API';

function errorOfModelApi(text: string): JsonObject | undefined {
  try {
    return modelApiError(parseJson(text));
  } catch {
    return undefined;
  }
}

/**
 * The error in an answer of OpenAI, Anthropic or Google (`{"error": {"message"}}`, Google's also in a list), of Ollama
 * (`{"error": "..."}`) or of vLLM (`{"object": "error", "message"}`), with the fields that say what to do about it.
 */
export function modelApiError(body: Json): JsonObject | undefined {
  const said = Array.isArray(body) ? body[0] : body;
  if (!isObject(said)) return undefined;
  const error = typeof said.error === 'string' ? { message: said.error } : said.object === 'error' ? said : said.error;
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  const kept: JsonObject = { message: error.message.slice(0, LONGEST_MESSAGE) };
  for (const name of ['type', 'code', 'status', 'param']) {
    const value = error[name];
    if (typeof value === 'number' || (typeof value === 'string' && value.length <= LONGEST_WORD)) kept[name] = value;
  }
  // A model's own words, which are a reply: see failedGeneration.
  if (typeof error.failed_generation === 'string') kept.failed_generation = error.failed_generation;
  const details = Array.isArray(error.details) ? error.details.filter(isObject).slice(0, 10).map(waitAndReason) : [];
  if (details.length) kept.details = details;
  return kept;
}

/** What Google says in the details alone: how long to wait, and that a key is wrong. */
function waitAndReason(detail: JsonObject): JsonObject {
  const short = (name: string): JsonObject => {
    const value = detail[name];
    return typeof value === 'string' && value.length <= LONGEST_WORD ? { [name]: value } : {};
  };
  return { ...short('retryDelay'), ...short('reason') };
}
