import type { Usage } from '#lib/contracts/cost';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { badBody, readEnding, type HostFailure } from './host-failure.js';

/*
 * The words for what a model answers, on the whole path from its provider to a result:
 *
 * - Response: what came over HTTP, whatever is in it.
 * - `ProviderReply` (`chat.ts`): what the chat client returns for one request. It is the `ModelReply` with the whole
 *   body that the provider sent.
 * - `ModelReply`: what the model answered, in the format of OpenAI's chat completions, whichever format it came in.
 * - `ParsedReply` (`libs/scoring/replies/parse-reply.ts`): the calls that the message of a reply makes.
 * - Attempt: one request of an item. An item has several when requests fail.
 * - Exchange: a request and its reply, as they are stored.
 * - Verdict (`libs/contracts/verdict.ts`): the scores of an item, with their evidence.
 * - Settlement: the verdict of an item, or the error that it ended with, stored once.
 *
 * A mocked tool, a tool server or this product's own API does not reply but answers, or returns a result.
 */

/** What a model answered, in OpenAI's format. */
export interface ModelReply {
  /** An assistant message. The arguments of its calls are JSON text that keeps every number as it was written. */
  message: JsonObject;
  /**
   * In OpenAI's words (`stop`, `tool_calls`, `length`, `content_filter`), one of `UNREAD_CALLS`, or the host's own
   * where nobody knows it, in lower case.
   */
  finishReason: string | null;
  usage: Usage;
}

/** Reads the body of a response in one format. Returns undefined when it is in another one. */
export type ReplyReader = (body: JsonObject) => ModelReply | HostFailure | undefined;

/** A format as files of replies have it. */
export interface ReplyFormat {
  /** What a record in it is called: `openai.chat`. */
  readAs: string;
  /** A sketch of it, for the message to someone whose record has another one. */
  looks: string;
  read: ReplyReader;
}

/**
 * A reply by what its host says of its end. A host that broke off has failed, whatever it sent before, and so has one
 * that ends an empty message for a reason that nobody knows.
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
 * The text of arguments that came as an object. Arguments that are nested too deeply to be printed stay an object,
 * and are scored as oversized.
 */
export const argumentsText = (given: Json | undefined): Json =>
  isDeeperThan(given, MAX_JSON_DEPTH) ? given! : stringifyInSourceOrder(given ?? {});
