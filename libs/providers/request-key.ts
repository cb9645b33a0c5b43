import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import { countedHeaders, readStoredHeaders } from '#lib/contracts/provider-access';
import type { ProviderKind } from '#lib/contracts/provider';
import { takeCacheRequest } from './dialects/cache-request.js';
import { suiteNamesByWireName } from './formats/formats.js';

/** SHA-256 of tools. */
export const digestOf = memoize((tools: object) => createHash('sha256').update(JSON.stringify(tools)).digest('base64'));

/** Undefined without headers, so that keys of providers without them stay what they were. */
function countedHeadersOf(headers: string): string | undefined {
  if (headers === '[]') return undefined;
  const counted = countedHeaders(readStoredHeaders(headers));
  return counted && JSON.stringify(counted);
}

/**
 * The key of a request in the reply cache. Two requests have the same key if they go to the same place, in the same
 * format, with the same body and the same tool names, regardless of the settings for the provider's cache. Samples of
 * one case are different requests.
 * @param of.headers JSON of the provider's `StoredHeader`s. Those that route lead to another model; those that are
 * secret count by their names
 * @param sample the index of the sample; 0 for a case that is sent once
 * @param rest everything else that determines the reply; for a chain, the inputs of its later requests
 */
export function requestKey(
  { providerId, baseUrl, kind, headers }: { providerId: string; baseUrl: string; kind: ProviderKind; headers: string },
  body: JsonObject,
  sample: number,
  rest: Json = null,
): Buffer {
  const { tools, ...other } = takeCacheRequest(body).body as JsonObject & { tools: Json };
  const names = suiteNamesByWireName(kind, tools);
  const sentAlong = countedHeadersOf(headers);
  const parts = [
    providerId,
    baseUrl,
    kind,
    digestOf(tools as object),
    JSON.stringify(other),
    String(sample),
    JSON.stringify(rest),
    ...(names ? [JSON.stringify(names)] : []),
    ...(sentAlong ? [sentAlong] : []),
  ];
  return createHash('sha256').update(parts.join('\n')).digest();
}
