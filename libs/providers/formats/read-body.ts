import { isObject, type Json } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { anthropicReplies } from './anthropic/reply.js';
import { failedGeneration } from '../replies/failed-generation.js';
import { googleReplies } from './google/reply.js';
import { errorIn, failureOf, type HostFailure } from '../replies/host-failure.js';
import type { ModelReply, ReplyFormat, ReplyReader } from '../replies/model-reply.js';
import { openaiResponsesReplies } from './openai-responses/reply.js';
import { openaiReplies } from './openai/reply.js';

/** Tried in this order. No body is a reply in two formats. */
export const REPLY_FORMATS: Record<ProviderKind, ReplyFormat> = {
  openai: openaiReplies,
  google: googleReplies,
  'openai-responses': openaiResponsesReplies,
  anthropic: anthropicReplies,
};
const READERS = Object.values(REPLY_FORMATS).map(({ read }) => read);

/**
 * Reads the body of a response, whether new, stored, or from a file. An error in a body takes precedence over
 * everything else in it.
 * @param readers of the formats that the body may have
 * @returns undefined if the body has none of these formats and contains no error
 */
export function readBody(
  body: Json | undefined,
  readers: readonly ReplyReader[] = READERS,
): ModelReply | HostFailure | undefined {
  if (!isObject(body)) return undefined;
  const error = errorIn(body);
  if (error) return failedGeneration(error) ?? failureOf(error);
  for (const read of readers) {
    const found = read(body);
    if (found) return found;
  }
  return undefined;
}
