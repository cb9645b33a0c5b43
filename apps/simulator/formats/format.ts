import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { TokenUsage } from '../ledger.js';
import type { CacheablePrompt } from '../prompt-cache/prompt-cache.js';

/** A format other than chat completions, in which clients can reach the same models. */
export interface Format {
  /** Where its chat requests go; its first group is the model, if the path names it. */
  path: RegExp;
  /** Where the paths of its host begin, if it is a host of its own. */
  host?: string;
  /** Where the base URL of a provider ends. */
  basePath: string;
  /**
   * Translates a request to chat completions.
   * @throws Error with the message with which the real API refuses the request
   */
  read(body: JsonObject, model: string | undefined, headers: Record<string, unknown>): JsonObject;
  /** What the prompt cache needs to know of a request that was read; undefined if nothing of it is cached. */
  cacheable(body: JsonObject): CacheablePrompt | undefined;
  /**
   * Translates a completion, or an error.
   * @param usage of the completion, unless it was posted
   */
  write(completion: JsonObject, status: number, headers: Record<string, string>, usage?: TokenUsage): JsonObject;
  /** The status that a host of the format sends instead of OpenAI's. */
  statusOf?(status: number): number;
}

export interface Completion {
  content: string | null;
  calls: { id: string; name: string; arguments: string; signature?: Json }[];
  /** Blocks of thoughts, for formats that have them. */
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
    thoughts: list(message.thinking_blocks),
    finish: String(choice.finish_reason),
    usage: used ?? postedUsage(completion),
  };
}

/** A posted usage, which says nothing of the cache. */
function postedUsage({ usage }: JsonObject): Omit<TokenUsage, 'cost'> {
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = (usage ?? {}) as Record<string, number>;
  return { prompt, completion, reasoning: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
}

/** Where Google's OpenAI-compatible endpoint puts the signature of a call. */
function signatureOf({ extra_content: extra }: JsonObject): Json | undefined {
  return isObject(extra) && isObject(extra.google) ? extra.google.thought_signature : undefined;
}

/** Parses arguments. Returns undefined when they are not an object. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A text unchanged, or the joined texts of a list of parts. */
export const joinTexts = (content: Json | undefined, separator: string): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map(({ text }) => text ?? '')
        .join(separator);
