import { isObject, parseJson, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';

/** The outcome of one request, from a line of a batch's output file. */
export interface BatchOutcome {
  /** The body of the response; undefined if the request failed. */
  body?: Json;
  failed?: { status: number | undefined; error: JsonObject };
}

/**
 * Reads the outcome of a request from a line of a batch: `{custom_id, response: {status_code, body}, error}` of OpenAI,
 * `{custom_id, result: {type, message}}` of Anthropic, or `{key, response | error}` of Google.
 * @returns undefined if the line has no outcome
 */
export function outcomeIn(line: JsonObject): BatchOutcome | undefined {
  const { response, result, error, status } = line;
  if (isObject(result) && typeof result.type === 'string') return ofAnthropic(result);
  if (isObject(error) && Object.keys(error).length > 0) return { failed: { status: undefined, error } };
  if (typeof error === 'string' && error !== '') return { failed: { status: undefined, error: { message: error } } };
  // Vertex reports a failure as text.
  if (typeof status === 'string' && status !== '' && !isFilled(response))
    return { failed: { status: undefined, error: { message: status } } };
  if (!isObject(response)) return undefined;
  const { status_code: code } = response;
  if (code === undefined) return { body: 'body' in response ? jsonIn(response.body) : response };
  const body = jsonIn(response.body);
  const given = toNumber(code);
  if (given >= 200 && given < 300) return { body };
  const inner = isObject(body) && isObject(body.error) ? body.error : body;
  return {
    failed: {
      status: given || undefined,
      error: isObject(inner) ? inner : { message: `The request ended with the status ${JSON.stringify(code)}.` },
    },
  };
}

function ofAnthropic({ type, message, error }: JsonObject): BatchOutcome {
  if (type === 'succeeded') return { body: message ?? null };
  const inner = isObject(error) && isObject(error.error) ? error.error : error;
  return {
    failed: {
      status: undefined,
      error: isObject(inner) ? inner : { message: `The request is "${(type as string).slice(0, 40)}".`, type: type! },
    },
  };
}

const isFilled = (value: Json | undefined): boolean => isObject(value) && Object.keys(value).length > 0;

function jsonIn(body: Json | undefined): Json {
  if (typeof body !== 'string') return body ?? null;
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}

/** The id that joins the lines of one request. */
export function batchIdOf({ custom_id: given, key }: JsonObject): string | undefined {
  const id = given ?? key;
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : undefined;
}
