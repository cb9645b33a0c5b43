import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { ProviderKind } from '#lib/contracts/provider';
import { takeCacheRequest } from './dialects/cache-request.js';
import { suiteNamesByWireName } from './formats/formats.js';

/** SHA-256 of tools. */
export const digestOf = memoize((tools: object) => createHash('sha256').update(JSON.stringify(tools)).digest('base64'));

/**
 * The key of a request in the reply cache. Two requests have the same key if they go to the same place, in the same
 * format, with the same body and the same tool names, regardless of the settings for the provider's cache. Samples of
 * one case are different requests.
 * @param sample the index of the sample; 0 for a case that is sent once
 * @param rest everything else that determines the reply; for a chain, the inputs of its later requests
 */
export function requestKey(
  { providerId, baseUrl, kind }: { providerId: string; baseUrl: string; kind: ProviderKind },
  body: JsonObject,
  sample: number,
  rest: Json = null,
): Buffer {
  const { tools, ...other } = takeCacheRequest(body).body as JsonObject & { tools: Json };
  const names = suiteNamesByWireName(kind, tools);
  const parts = [
    providerId,
    baseUrl,
    kind,
    digestOf(tools as object),
    JSON.stringify(other),
    String(sample),
    JSON.stringify(rest),
    ...(names ? [JSON.stringify(names)] : []),
  ];
  return createHash('sha256').update(parts.join('\n')).digest();
}
