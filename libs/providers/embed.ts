import { isNumber, isObject, parseJson, toNumber } from '#lib/contracts/json/json';
import { withoutSlash } from '#lib/contracts/url';
import { runSerially } from '#lib/runtime/threads/large-work';
import { classifyError, classifyStatus } from './classify-failure.js';
import type { Endpoint } from './dialects/dialect.js';
import { ProviderFailure } from './failure.js';
import { isFromPrivateAddress } from './guarded/guarded-fetch.js';
import { maskKeys } from './guarded/mask-keys.js';
import type { GuardedRequestInit, ReplyMemory } from './guarded/reply-memory.js';

const MAX_QUOTED_CHARACTERS = 1000;
const MAX_MESSAGE_CHARACTERS = 2000;

/**
 * Embeds texts with one request to `POST {base}/embeddings` (OpenAI's format), without retries.
 * @param replyMemory the memory for the response; the caller releases it
 * @returns a vector of unit length for each text, in the order of the texts
 * @throws ProviderFailure when there is no usable response
 */
export async function embedTexts(
  endpoint: Endpoint,
  model: string,
  texts: readonly string[],
  {
    fetch,
    timeoutMs,
    replyMemory,
  }: {
    fetch: (url: string, init?: GuardedRequestInit) => Promise<Response>;
    timeoutMs: number;
    replyMemory?: ReplyMemory;
  },
): Promise<{ vectors: Float32Array[]; tokens: number }> {
  const { baseUrl, apiKey } = endpoint;
  try {
    const response = await fetch(`${withoutSlash(baseUrl)}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.timeout(timeoutMs),
      replyMemory,
    });
    const text = await response.text();
    if (!response.ok)
      throw classifyStatus(response.status, response.headers, errorIn(text), text.slice(0, 200), baseUrl);
    const quote = isFromPrivateAddress(response) ? undefined : text.slice(0, MAX_QUOTED_CHARACTERS);
    return await runSerially(() => readVectors(text, texts.length, quote), text.length);
  } catch (error) {
    const failure =
      error instanceof ProviderFailure
        ? error
        : (error as Error).name === 'TimeoutError'
          ? new ProviderFailure('timeout', `No embeddings within ${timeoutMs / 1000} s.`, true)
          : classifyError(error, baseUrl);
    failure.message = maskKeys(failure.message, apiKey).slice(0, MAX_MESSAGE_CHARACTERS);
    throw failure;
  }
}

function errorIn(text: string): unknown {
  try {
    const body = parseJson(text);
    return isObject(body) ? body.error : undefined;
  } catch {
    return undefined;
  }
}

function readVectors(
  text: string,
  count: number,
  quote: string | undefined,
): { vectors: Float32Array[]; tokens: number } {
  const bad = (why: string): ProviderFailure =>
    new ProviderFailure(
      'bad_response',
      `The embedding model's answer cannot be used: ${why}.`,
      true,
      undefined,
      200,
      quote,
    );
  let body;
  try {
    body = parseJson(text);
  } catch {
    throw bad('it is not JSON');
  }
  const data = isObject(body) && Array.isArray(body.data) ? body.data : [];
  if (data.length !== count) throw bad(`${data.length} embeddings for ${count} texts`);
  const vectors: Float32Array[] = new Array<Float32Array>(count);
  for (const [position, entry] of data.entries()) {
    const numbers = isObject(entry) && Array.isArray(entry.embedding) ? entry.embedding : [];
    const index = isObject(entry) && typeof entry.index === 'number' ? entry.index : position;
    if (numbers.length === 0 || !numbers.every(isNumber) || !(index in data) || vectors[index])
      throw bad('it holds no list of numbers for each text');
    const vector = Float32Array.from(numbers, toNumber);
    const length = Math.hypot(...vector);
    if (!(length > 0)) throw bad('a vector has no length');
    vectors[index] = vector.map((value) => value / length);
  }
  const usage = isObject(body) && isObject(body.usage) ? body.usage.total_tokens : 0;
  return { vectors, tokens: typeof usage === 'number' ? usage : 0 };
}
