import type { Usage } from '#lib/contracts/cost';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { badBody, readEnding, type HostFailure } from './host-failure.js';

/*
 * The terms for a model's answer, on the whole path from its provider to a result:
 * - Response: what came over HTTP, whatever it contains.
 * - `ProviderReply` (`chat.ts`): what the chat client returns for one request: the `ModelReply` with the complete body
 *   that the provider sent.
 * - `ModelReply`: the model's answer, in the format of OpenAI's chat completions, whichever format it came in.
 * - `ParsedReply` (`libs/scoring/replies/parse-reply.ts`): the calls in the message of a reply.
 * - Attempt: one request of an item. An item has several when requests fail.
 * - Exchange: a request and its reply, as stored.
 * - Verdict (`libs/contracts/verdict.ts`): the scores of an item, with their evidence.
 * - Settlement: the verdict of an item, or its final error, stored once.
 * A mocked tool, a tool server or this product's own API does not reply but answers, or returns a result.
 */

/** A model's answer, in OpenAI's format. */
export interface ModelReply {
  /** An assistant message. The arguments of its calls are JSON text in which every number keeps its source text. */
  message: JsonObject;
  /**
   * In OpenAI's words (`stop`, `tool_calls`, `length`, `content_filter`), one of `UNREAD_CALLS`, or the host's own
   * unknown word in lower case.
   */
  finishReason: string | null;
  usage: Usage;
}

/** Reads the body of a response in one format. Returns undefined if it is in another one. */
export type ReplyReader = (body: JsonObject) => ModelReply | HostFailure | undefined;

/** A format as found in files of replies. */
export interface ReplyFormat {
  /** The name of this record type: `openai.chat`. */
  readAs: string;
  /** A sketch of it, for the error message about a record with another shape. */
  looks: string;
  read: ReplyReader;
}

/**
 * Combines a reply with its host's finish reason. A host that aborted has failed, whatever it sent before, and so has
 * one that ends an empty message for an unknown reason.
 * @param givenReason the host's finish reason
 */
export function endedReply(
  reply: Omit<ModelReply, 'finishReason'>,
  givenReason: Json | undefined,
): ModelReply | HostFailure {
  const ending = readEnding(givenReason);
  const reason = toText(givenReason).slice(0, 100);
  if ('status' in ending)
    return { failed: { message: `The host broke off its reply (finish reason "${reason}").`, status: ending.status } };
  if (!ending.isKnown && isEmpty(reply.message))
    return badBody(`The reply is empty, and ended for the unknown reason "${reason}".`);
  return { ...reply, finishReason: ending.reason };
}

const isEmpty = ({ content, tool_calls, function_call, refusal }: JsonObject): boolean =>
  !hasText(content) && !tool_calls && !function_call && !refusal;

const hasText = (content: Json | undefined): boolean =>
  Array.isArray(content)
    ? content.some((part) => isObject(part) && typeof part.text === 'string' && part.text.trim() !== '')
    : typeof content === 'string' && content.trim() !== '';

/**
 * Prints arguments that came as an object. Arguments that are nested too deeply to be printed stay an object, and are
 * scored as oversized.
 */
export const argumentsText = (given: Json | undefined): Json =>
  isDeeperThan(given, MAX_JSON_DEPTH) ? given! : stringifyInSourceOrder(given ?? {});
