import type { JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { tokensOf } from '../formats/chat-completions.js';
import type { TokenUsage } from '../ledger.js';
import type { ModelRequest } from '../models/model-request.js';

/** A refusal in a host's wording. */
export interface Refusal {
  message: string;
  /** Default: 400. */
  status?: number;
  code?: string | null;
  param?: string | null;
}

/** A host's reaction to a request setting: a refusal, or undefined if it accepts the value. */
type SettingRule = Refusal | ((value: unknown, body: JsonObject) => Refusal | undefined);

/** A response other than an ordinary reply. */
export interface OddReply {
  status?: number;
  headers?: Record<string, string>;
  body: object;
  /** Whether the host repeats this response when the request is sent again. */
  isLasting?: boolean;
}

/**
 * A host as clients see it: what it refuses, ignores and sends. It is pure data, interpreted by `host-behaviour.ts`.
 * Apart from that, a host replies as a good model does.
 */
export interface Host {
  about: string;
  /** Its format, if not chat completions. */
  format?: Exclude<ProviderKind, 'openai'>;
  /** Settings that it refuses, in the order in which it checks them. */
  refuses?: Record<string, SettingRule>;
  refusesBody?: (body: JsonObject) => Refusal | undefined;
  /**
   * Checks an assistant message for fields that the host refuses to take back, or misses. @param index of the message
   */
  refusesMessage?: (message: JsonObject, index: number, body: JsonObject) => Refusal | undefined;
  /** The body of a refusal, if it differs from OpenAI's. */
  writeRefusal?: (refusal: Refusal & { status: number }) => object;
  /** Settings that it accepts but ignores. */
  ignores?: readonly string[];
  /** @param call its name, its index in the reply, and the number of earlier calls in the conversation */
  id?: (call: { name: string; index: number; before: number; seed: string }) => string;
  /** Fields that the host adds to OpenAI's: in the message, the choice and the whole response. */
  sends?: (body: JsonObject) => { message?: JsonObject; call?: JsonObject; choice?: JsonObject; response?: JsonObject };
  headers?: Record<string, string>;
  /** Number of reasoning tokens before the reply. */
  reasoning?: (body: JsonObject) => number;
  /** Whether it caches no prompts, or does not report cached tokens. */
  hasNoCache?: boolean;
  /** Usage with its own field names, if they differ from OpenAI's. */
  usage?: (usage: TokenUsage) => object;
  /** Odd replies by their name in the user message, as in `[[filtered]]`. */
  odd?: Record<string, (asked: ModelRequest) => OddReply>;
}

/** Usage of hosts that report only these counts. */
export const minimalUsage = ({ prompt, completion }: TokenUsage): Record<string, number> => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** Refuses each of these settings with the same wording. */
export const refuseEach = (names: readonly string[], refusal: (name: string) => Refusal): Record<string, Refusal> =>
  Object.fromEntries(names.map((name) => [name, refusal(name)]));

/** Allows only the fields that the host's documentation says it takes back; refuses others with the same wording. */
export const refuseOtherFields =
  (known: readonly string[], refusal: (field: string, index: number) => Refusal) =>
  (message: JsonObject, index: number): Refusal | undefined => {
    const field = Object.keys(message).find((key) => !known.includes(key));
    return field === undefined ? undefined : refusal(field, index);
  };

export const THOUGHT = 'One of the tools fits the request.';
export const THOUGHT_TOKENS = tokensOf(THOUGHT);
