import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { CacheRequest } from '#lib/contracts/prompt-cache';

/** Removes the cache settings from a request: the field is internal, and no host uses its name. */
export function takeCacheRequest(body: JsonObject): { body: JsonObject; cache: CacheRequest | undefined } {
  if (!isCacheRequest(body.prompt_cache)) return { body, cache: undefined };
  const { prompt_cache: cache, ...rest } = body;
  return { body: rest, cache: cache as unknown as CacheRequest };
}

const isCacheRequest = (value: Json | undefined): boolean =>
  isObject(value) && typeof value.key === 'string' && (value.ttl === '5m' || value.ttl === '1h');

/** In OpenAI's terms: https://developers.openai.com/api/docs/guides/prompt-caching */
export function withCacheKey(asked: JsonObject): JsonObject {
  const { body, cache } = takeCacheRequest(asked);
  return cache ? { prompt_cache_key: cache.key, ...body } : body;
}
