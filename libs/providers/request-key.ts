import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#lib/contracts/json';

const digests = new WeakMap<object, string>();
const digestOf = (tools: object): string => {
  let digest = digests.get(tools);
  if (digest === undefined) digests.set(tools, (digest = createHash('sha256').update(JSON.stringify(tools)).digest('base64')));
  return digest;
};

/**
 * What makes two requests the same: where they go and all that they say. Samples of one case are different requests.
 * @param sample of a case that is asked several times, else 0
 */
export function requestKey({ providerId, baseUrl }: { providerId: string; baseUrl: string }, body: JsonObject, sample: number): Buffer {
  const { tools, ...rest } = body as JsonObject & { tools: Json };
  const parts = [providerId, baseUrl, digestOf(tools as object), JSON.stringify(rest), String(sample)];
  return createHash('sha256').update(parts.join('\n')).digest();
}
