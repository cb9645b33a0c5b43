import type { JsonObject } from '#lib/contracts/json/json';
import { tokensOf } from '../formats/chat-completions.js';
import type { TokenUsage } from '../ledger.js';
import type { ModelRequest } from '../models/model-request.js';

/** A refusal in a host's words. */
export interface Refusal {
  message: string;
  /** 400 if left out. */
  status?: number;
  code?: string | null;
  param?: string | null;
}

/** What a host says to a setting of a request: a refusal, or undefined if it takes the value. */
export type SettingRule = Refusal | ((value: unknown, body: JsonObject) => Refusal | undefined);

/** An answer other than an ordinary reply. */
export interface OddReply {
  status?: number;
  headers?: Record<string, string>;
  body: object;
  /** Whether the host answers so again when it is asked again. */
  isLasting?: boolean;
}

/**
 * A host as clients know it: what it refuses, ignores and sends. All of it is data; `host-behaviour.ts` plays it.
 * Otherwise a host replies as a good model does.
 */
export interface Host {
  about: string;
  /** The format that it speaks, if not chat completions. */
  format?: 'anthropic' | 'google';
  /** Settings that it refuses, in the order in which it looks at them. */
  refuses?: Record<string, SettingRule>;
  refusesBody?: (body: JsonObject) => Refusal | undefined;
  /** Fields of the assistant's messages that it refuses to take back, or misses. @param index of the message */
  refusesMessage?: (message: JsonObject, index: number, body: JsonObject) => Refusal | undefined;
  /** The body of a refusal, if not OpenAI's. */
  writeRefusal?: (refusal: Refusal & { status: number }) => object;
  /** Settings without effect. */
  ignores?: readonly string[];
  /** @param call its name, its place in the reply, and how many calls the conversation had before */
  id?: (call: { name: string; index: number; before: number; seed: string }) => string;
  /** Fields of the reply's message, of its choice, and of the whole response, beside OpenAI's. */
  sends?: (body: JsonObject) => { message?: JsonObject; call?: JsonObject; choice?: JsonObject; response?: JsonObject };
  headers?: Record<string, string>;
  /** How many tokens it thinks before it replies. */
  reasoning?: (body: JsonObject) => number;
  /** Whether it caches no prompts, or none that it counts. */
  hasNoCache?: boolean;
  /** The usage in its words, if they are not OpenAI's. */
  usage?: (usage: TokenUsage) => object;
  /** By the name in the message of the user, as in `[[filtered]]`. */
  odd?: Record<string, (asked: ModelRequest) => OddReply>;
}

/** The usage of hosts that count no more than this. */
export const plainUsage = ({ prompt, completion }: TokenUsage): Record<string, number> => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** Refuses a list of settings in one form of words. */
export const refuseEach = (names: readonly string[], refusal: (name: string) => Refusal): Record<string, Refusal> =>
  Object.fromEntries(names.map((name) => [name, refusal(name)]));

/** Only what a host's documentation says it takes back, refused in one form of words. */
export const refuseOtherFields =
  (known: readonly string[], refusal: (field: string, index: number) => Refusal) =>
  (message: JsonObject, index: number): Refusal | undefined => {
    const field = Object.keys(message).find((key) => !known.includes(key));
    return field === undefined ? undefined : refusal(field, index);
  };

export const THOUGHT = 'One of the tools fits the request.';
export const THOUGHT_TOKENS = tokensOf(THOUGHT);
