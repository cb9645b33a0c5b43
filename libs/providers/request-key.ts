import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#lib/contracts/json';

const digests = new WeakMap<object, string>();
const digestOf = (tools: object): string => {
  let digest = digests.get(tools);
  if (digest === undefined) digests.set(tools, (digest = createHash('sha256').update(JSON.stringify(tools)).digest('base64')));
  return digest;
};

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
