import { isObject, parseJson, type Json } from '#lib/contracts/json/json';
import { failedGeneration } from '../replies/failed-generation.js';
import { errorIn, isHostFailure } from '../replies/host-failure.js';
import type { ModelReply } from '../replies/model-reply.js';
import { readBody } from './read-body.js';

/** The response bodies of an item, as its exchange stores them. */
export interface StoredBodies {
  /** Including refusals. */
  replies: readonly (Json | undefined)[];
  /** For a chain that was played to its end: the indexes in `replies` of its rounds. */
  rounds?: readonly number[];
}

/**
 * The replies in an exchange that are to be scored; undefined if no model replied, or a chain was not played to its
 * end.
 */
export function storedReplies({ replies: bodies, rounds }: StoredBodies): ModelReply[] | undefined {
  const replies = (rounds ?? [bodies.length - 1]).map((index) => storedReply(bodies[index]));
  return replies.every((reply) => reply !== undefined) ? replies : undefined;
}

/** The reply in a stored body; undefined if no model replied. */
export function storedReply(body: Json | undefined): ModelReply | undefined {
  const read = readBody(body);
  return read && !isHostFailure(read) ? read : undefined;
}

/**
 * Some hosts answer with an error when they cannot read the model's output as a call, and quote it. That is a bad
 * reply, not a failure.
 * @param failure as it was thrown
 * @returns the reply with the quoted output as its text; undefined for any other failure
 */
export function replyInFailure(failure: { status?: unknown; body?: unknown }): ModelReply | undefined {
  const { status, body: text } = failure;
  if (typeof status !== 'number' || status === 401 || status === 403 || status === 429) return undefined;
  if (typeof text !== 'string') return undefined;
  try {
    const body = parseJson(text);
    return isObject(body) ? failedGeneration(errorIn(body) ?? body) : undefined;
  } catch {
    return undefined;
  }
}
