import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { ProviderKind } from '#lib/contracts/provider';
import { suiteNamesByWireName } from './dialects/dialects.js';

const digestOf = memoize((tools: object) => createHash('sha256').update(JSON.stringify(tools)).digest('base64'));

/**
 * What makes two requests the same: where they go, in which format, and all that they say, under which names of
 * tools. Samples of one case are different requests.
 * @param sample of a case that is asked several times, else 0
 * @param rest what else decides the answer: for a chain, what the later requests follow from
 */
export function requestKey(
  { providerId, baseUrl, kind }: { providerId: string; baseUrl: string; kind: ProviderKind },
  body: JsonObject,
  sample: number,
  rest: Json = null,
): Buffer {
  const { tools, ...other } = body as JsonObject & { tools: Json };
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
