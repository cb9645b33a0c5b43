import { isObject, parseJson } from '#lib/contracts/json/json';
import { withoutSlash } from '#lib/contracts/url';
import { classifyError, classifyStatus } from './classify-failure.js';
import { errorSecretsOf, withAccess, type Endpoint } from './dialects/dialect.js';
import { ProviderFailure } from './failure.js';
import { isFromPrivateAddress } from './guarded/guarded-fetch.js';
import { maskKeys } from './guarded/mask-keys.js';
import type { GuardedRequestInit, ReplyMemory } from './guarded/reply-memory.js';
import { readVectors, type Vectors } from './reading/read-vectors.js';
import { decodeUtf8, LARGE_RESPONSE_BYTES, readVectorsInThread } from './reading/readers.js';

const MAX_QUOTED_CHARACTERS = 1000;
const MAX_QUOTED_BYTES = 4 * MAX_QUOTED_CHARACTERS;
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
): Promise<Vectors> {
  const { baseUrl, apiKey } = endpoint;
  const headers = { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
  try {
    const response = await fetch(`${withoutSlash(baseUrl)}/embeddings`, {
      method: 'POST',
      ...withAccess(headers, endpoint),
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.timeout(timeoutMs),
      replyMemory,
    });
    if (!response.ok) {
      const text = await response.text();
      throw classifyStatus(response.status, response.headers, errorIn(text), text.slice(0, 200), endpoint);
    }
    const bytes = await response.bytes();
    const beginning = decodeUtf8(bytes.subarray(0, MAX_QUOTED_BYTES)).slice(0, MAX_QUOTED_CHARACTERS);
    const quote = isFromPrivateAddress(response) ? undefined : beginning;
    return bytes.length > LARGE_RESPONSE_BYTES
      ? await readVectorsInThread(bytes, texts.length, quote, replyMemory?.lane ?? baseUrl)
      : readVectors(decodeUtf8(bytes), texts.length, quote);
  } catch (error) {
    const failure =
      error instanceof ProviderFailure
        ? error
        : (error as Error).name === 'TimeoutError'
          ? new ProviderFailure('timeout', `No embeddings within ${timeoutMs / 1000} s.`, true)
          : classifyError(error, baseUrl);
    failure.message = maskKeys(failure.message, errorSecretsOf(endpoint, 4)).slice(0, MAX_MESSAGE_CHARACTERS);
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
