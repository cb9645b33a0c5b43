import { isObject, parseJson, type Json } from '#lib/contracts/json/json';
import { failedGeneration } from '../replies/failed-generation.js';
import { errorIn, isHostFailure } from '../replies/host-failure.js';
import type { ModelReply } from '../replies/model-reply.js';
import { readBody } from './read-body.js';

/** The bodies that an item got, as its exchange has them. */
export interface StoredBodies {
  /** Refusals among them. */
  replies: readonly (Json | undefined)[];
  /** Of a chain that was played to its end: which of `replies` are those of its rounds. */
  rounds?: readonly number[];
}

/**
 * The replies in an exchange that are to be scored; undefined where no model replied, or a chain was not played to its
 * end.
 */
export function storedReplies({ replies: bodies, rounds }: StoredBodies): ModelReply[] | undefined {
  const replies = (rounds ?? [bodies.length - 1]).map((index) => storedReply(bodies[index]));
  return replies.every((reply) => reply !== undefined) ? replies : undefined;
}

/** The reply in a stored body; undefined where no model replied. */
export function storedReply(body: Json | undefined): ModelReply | undefined {
  const read = readBody(body);
  return read && !isHostFailure(read) ? read : undefined;
}

/**
 * Some hosts answer with an error when they cannot read the model's output as a call, and quote it. That is a bad
 * reply, not a failure.
 * @param failure as it was thrown
 * @returns the reply with the quoted output as its text; undefined when the failure is of another kind
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
