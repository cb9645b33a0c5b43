import { isDeeperThan, MOST_LEVELS, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonAsWritten } from '#lib/contracts/json/key-order';

/** What a model answered, in OpenAI's words. */
export interface ModelReply {
  /** An assistant message; the arguments of its calls are JSON text in which numbers stand as they were written. */
  message: JsonObject;
  finishReason: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
}

/** Reads a whole answer in one format. Undefined when no model speaks in it. */
export type ReplyReader = (answer: Json) => ModelReply | undefined;

export const readTokenCount = (value: Json | undefined): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? Math.min(value as number, 2 ** 31 - 1) : null;

/**
 * The arguments of a call that came as an object. What is nested too deeply to be printed stays one, and is scored
 * as that.
 */
export const argumentsText = (given: Json | undefined): Json =>
  isDeeperThan(given, MOST_LEVELS) ? given! : jsonAsWritten(given ?? {});
