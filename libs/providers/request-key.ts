import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#lib/contracts/json';
import { memoize } from '#lib/contracts/memoize';

const digestOf = memoize((tools: object) => createHash('sha256').update(JSON.stringify(tools)).digest('base64'));

/**
 * What makes two requests the same: where they go, in which format, and all that they say. Samples of one case are different requests.
 * @param sample of a case that is asked several times, else 0
 * @param rest what else decides the answer: for a chain, what the later requests follow from
 */
export function requestKey({ providerId, baseUrl, kind }: { providerId: string; baseUrl: string; kind: string }, body: JsonObject, sample: number, rest: Json = null): Buffer {
  const { tools, ...other } = body as JsonObject & { tools: Json };
  const parts = [providerId, baseUrl, kind, digestOf(tools as object), JSON.stringify(other), String(sample), JSON.stringify(rest)];
  return createHash('sha256').update(parts.join('\n')).digest();
}
