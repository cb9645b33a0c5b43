import { createHash } from 'node:crypto';
import type { JsonObject } from '#lib/contracts/json/json';
import { hasStrictTools } from '#lib/contracts/strict-tools';
import { takeCacheRequest } from '../dialects/cache-request.js';
import { replyFieldsIn } from './adapt-request.js';

/**
 * A hash of everything in a request that a model may reject independently of the content: its parameters, whether tools
 * are strict, and which fields earlier replies have. Requests of one shape are rejected together.
 */
export function requestShape(request: JsonObject): string {
  const { body, cache } = takeCacheRequest(request);
  const { model: _model, messages: _messages, tools, ...params } = body;
  const isStrict = Array.isArray(tools) && hasStrictTools(tools);
  const shape = [params, isStrict, [...replyFieldsIn(request)].sort(), cache?.ttl];
  return createHash('sha1').update(JSON.stringify(shape)).digest('base64url');
}
