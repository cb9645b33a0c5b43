import { isObject, type Json } from '#lib/contracts/json/json';
import { readAnthropicReply } from './anthropic.js';
import { failedGeneration } from './failed-generation.js';
import { readGoogleReply } from './google.js';
import { errorIn, failureOf, type HostFailure } from './host-failure.js';
import type { ModelReply, ReplyReader } from './model-reply.js';
import { readOpenaiResponsesReply } from './openai-responses.js';
import { readOpenaiReply } from './openai.js';

/** No body is a reply in two formats. */
const READERS: readonly ReplyReader[] = [
  readOpenaiReply,
  readGoogleReply,
  readOpenaiResponsesReply,
  readAnthropicReply,
];

/**
 * Reads the body of a response: of one that just came, one that is stored, and one in a file alike. An error in a body
 * decides, whatever stands beside it.
 * @param readers of the formats that the body may have
 * @returns undefined when the body has none of these formats, and holds no error
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
