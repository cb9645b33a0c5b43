import {
  isDeeperThan,
  isObject,
  MAX_JSON_DEPTH,
  parseJson,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';
import { waitInFields } from '../waits/wait-in-fields.js';
import { readRetryAfter } from '../waits/wait-in-headers.js';
import type { Fetch } from './dialect.js';

/** The content of a response other than 2xx, in the format of any host. */
export interface ErrorResponse {
  status: number;
  headers: Headers;
  /** Undefined if the body is not JSON. */
  error: JsonObject | undefined;
  text: string;
}

/**
 * Reads an error. Most hosts send `{"error": {"message"}}`. Google's compatible endpoint wraps it in a list, and others
 * send only `detail` or `message`. Some report the retry delay only in the body, and Google reports a wrong key as a
 * 400, explained only in the body.
 */
export async function readError(answer: Response): Promise<ErrorResponse> {
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  const body = jsonIn(text);
  const error = errorIn(body);
  const details = Array.isArray(error?.details) ? error.details.filter(isObject) : [];
  const waitMs = readRetryAfter(headers) ?? waitInFields(body);
  if (waitMs !== undefined) headers.set('retry-after-ms', String(Math.ceil(waitMs)));
  return {
    status: details.some(({ reason }) => reason === 'API_KEY_INVALID') ? 401 : answer.status,
    headers,
    error,
    text,
  };
}

/** Rewrites errors to the shape that the SDKs understand. For other shapes they would report an empty body. */
export const normaliseErrors =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.ok) return answer;
    const { status, headers, error, text } = await readError(answer);
    headers.delete('content-length');
    if (error) headers.set('content-type', 'application/json');
    return new Response(error ? JSON.stringify({ error }) : text, { status, headers });
  };

/** How much of a too deeply nested error is quoted. */
const MAX_DEEP_CHARACTERS = 1000;

function jsonIn(text: string): Json | undefined {
  try {
    const body = parseJson(text);
    // Printing it would overflow the stack, and the SDKs do print it.
    return isDeeperThan(body, MAX_JSON_DEPTH) ? { message: text.slice(0, MAX_DEEP_CHARACTERS) } : body;
  } catch {
    return undefined;
  }
}

function errorIn(body: Json | undefined): JsonObject | undefined {
  const said = Array.isArray(body) ? body[0] : body;
  if (!isObject(said)) return undefined;
  if (isObject(said.error)) return said.error;
  const message = [said.error, said.message, said.detail, said.msg].find((one) => one !== undefined && one !== null);
  return { ...said, message: typeof message === 'string' ? message : JSON.stringify(message ?? said) };
}
