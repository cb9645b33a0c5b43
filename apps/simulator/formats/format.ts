import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { TokenUsage } from '../ledger.js';
import type { CacheablePrompt } from '../prompt-cache/prompt-cache.js';

/** An API format other than chat completions, through which clients can reach the same models. */
export interface Format {
  /** Path of its chat endpoint. The first group is the model, if the path contains it. */
  path: RegExp;
  /** Path prefix of its host, if it has its own host. */
  host?: string;
  /** Path suffix of a provider's base URL. */
  basePath: string;
  /**
   * Translates a request to chat completions.
   * @throws Error with the message of the real API's refusal
   */
  read(body: JsonObject, model: string | undefined, headers: Record<string, unknown>): JsonObject;
  /** The cacheable prompt of a request; undefined if none of it is cached. */
  cacheable(body: JsonObject): CacheablePrompt | undefined;
  /**
   * Translates a completion or an error.
   * @param usage of the completion, unless the reply was posted
   */
  write(completion: JsonObject, status: number, headers: Record<string, string>, usage?: TokenUsage): JsonObject;
  /** The status that a host of this format sends in place of OpenAI's. */
  statusOf?(status: number): number;
}

export interface Completion {
  content: string | null;
  calls: { id: string; name: string; arguments: string; signature?: Json }[];
  /** Thinking blocks, for formats that have them. */
  thoughts: JsonObject[];
  finish: string;
  usage: Omit<TokenUsage, 'cost'>;
}

/** Reads a completion. Returns undefined for an error. */
export function readCompletion(completion: JsonObject, used?: TokenUsage): Completion | undefined {
  const choice = Array.isArray(completion.choices) ? (completion.choices[0] as JsonObject) : undefined;
  if (!choice) return undefined;
  const message = choice.message as JsonObject;
  return {
    content: typeof message.content === 'string' ? message.content : null,
    calls: ((message.tool_calls ?? []) as JsonObject[]).map((call) => {
      const { name, arguments: args } = call.function as JsonObject;
      return {
        id: String(call.id),
        name: String(name),
        arguments: typeof args === 'string' ? args : JSON.stringify(args),
        signature: signatureOf(call),
      };
    }),
    thoughts: requireList(message.thinking_blocks),
    finish: String(choice.finish_reason),
    usage: used ?? postedUsage(completion),
  };
}

/** Usage from a posted reply, which does not mention the cache. */
function postedUsage({ usage }: JsonObject): Omit<TokenUsage, 'cost'> {
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = (usage ?? {}) as Record<string, number>;
  return { prompt, completion, reasoning: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
}

/** Where Google's OpenAI-compatible endpoint puts the signature of a call. */
function signatureOf({ extra_content: extra }: JsonObject): Json | undefined {
  return isObject(extra) && isObject(extra.google) ? extra.google.thought_signature : undefined;
}

/** Parses arguments. Returns undefined if they are not an object. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const requireList = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The text itself, or the joined texts of a list of parts. */
export const joinTexts = (content: Json | undefined, separator: string): string =>
  typeof content === 'string'
    ? content
    : requireList(content)
        .map(({ text }) => text ?? '')
        .join(separator);
