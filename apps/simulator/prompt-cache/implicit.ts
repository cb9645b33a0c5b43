import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { Refused } from '../formats/check-names.js';
import { keyOf, readOn, EMPTY_PREFIX, type PrefixPosition } from './prefix-position.js';
import { MIN_CACHED_TOKENS, UNCACHED, type CacheablePrompt } from './prompt-cache.js';

const BLOCK_TOKENS = 128;
const BLOCK_CHARACTERS = BLOCK_TOKENS * 4;
const FIRST_BLOCK = MIN_CACHED_TOKENS / BLOCK_TOKENS;
/** Text after the first million tokens of a prompt is not cached. */
const MAX_BLOCKS = 8192;

const MINUTES = 60_000;
export const FIVE_MINUTES_MS = 5 * MINUTES;
const DAY_MS = 24 * 60 * MINUTES;
const MAX_KEY_CHARACTERS = 64;

/** A prompt prefix, and the key of each whole block in it. */
interface Beginning {
  place: PrefixPosition;
  keys: number[];
}
const NOTHING: Beginning = { place: EMPTY_PREFIX, keys: [] };

/** Prompt prefixes by tool list, which suites send with every case as the same object. */
const afterTools = new WeakMap<object, Beginning>();

/**
 * A prompt for an implicit cache, as OpenAI documents it: it reuses the prefix that a prompt shares with an earlier
 * one, in steps of 128 tokens. Writing is free. Google does not document its step size; it is assumed equal.
 * @param prompt the tools and the rest, in the order in which the model reads them
 */
export function implicitPrompt(prompt: { scope: string; tools?: Json; rest: Json; ttlMs?: number }): CacheablePrompt {
  const { scope, tools, rest, ttlMs = FIVE_MINUTES_MS } = prompt;
  const { keys } = addText(beginningOf(tools), JSON.stringify(rest));
  const names = keys.slice(FIRST_BLOCK - 1).map((key) => `${scope} ${key}`);
  return {
    use(cache, nowMs, tokens) {
      const blocks = Math.floor((tokens - 1) / BLOCK_TOKENS);
      const usable = names.slice(0, Math.max(0, blocks - FIRST_BLOCK + 1));
      const ttls = usable.map((name) => cache.ttlOf(name, nowMs));
      const missed = ttls.indexOf(undefined);
      const read = missed < 0 ? usable.length : missed;
      // The first block comes last, so that the cache evicts the ends of prompts before their prefixes.
      for (let at = usable.length - 1; at >= 0; at--) cache.keep(usable[at]!, nowMs, Math.max(ttls[at] ?? 0, ttlMs));
      return read === 0 ? UNCACHED : { ...UNCACHED, read: (FIRST_BLOCK - 1 + read) * BLOCK_TOKENS };
    },
  };
}

function beginningOf(tools: Json | undefined): Beginning {
  if (!Array.isArray(tools) && !isObject(tools)) return NOTHING;
  let beginning = afterTools.get(tools);
  if (!beginning) afterTools.set(tools, (beginning = addText(NOTHING, JSON.stringify(tools))));
  return beginning;
}

function addText({ place, keys: before }: Beginning, text: string): Beginning {
  const keys = [...before];
  let at = 0;
  while (at < text.length && keys.length < MAX_BLOCKS) {
    const end = Math.min(text.length, at + BLOCK_CHARACTERS - (place.characters % BLOCK_CHARACTERS));
    place = readOn(place, text, at, end);
    at = end;
    if (place.characters % BLOCK_CHARACTERS === 0) keys.push(keyOf(place));
  }
  return { place, keys };
}

/** A request to OpenAI, which may set its own cache key and a retention of one day. */
export function openAiPrompt(format: string, body: JsonObject, rest: Json): CacheablePrompt {
  const { tools, prompt_cache_key: key, prompt_cache_retention: retention } = body;
  const scope = typeof key === 'string' ? `${format} ${key}` : format;
  return implicitPrompt({ scope, tools: tools ?? null, rest, ...(retention === '24h' && { ttlMs: DAY_MS }) });
}

/** @throws Refused in OpenAI's words. The limit of 64 characters for a key is from memory. */
export function refuseCacheSettings({ prompt_cache_key: key, prompt_cache_retention: retention }: JsonObject): void {
  if (key !== undefined && key !== null && typeof key !== 'string') {
    const message = `Invalid type for 'prompt_cache_key': expected a string, but got ${articleOf(key)} instead.`;
    throw new Refused(message, 'invalid_type', 'prompt_cache_key');
  }
  if (typeof key === 'string' && key.length > MAX_KEY_CHARACTERS) {
    const message =
      `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length ${MAX_KEY_CHARACTERS}, but ` +
      `got a string with length ${key.length} instead.`;
    throw new Refused(message, 'string_above_max_length', 'prompt_cache_key');
  }
  if (retention === undefined || retention === null || retention === '24h' || retention === 'in_memory') return;
  const message =
    `Invalid value: '${toText(retention).slice(0, 64)}'. Supported values are: ` + "'in_memory' and '24h'.";
  throw new Refused(message, 'invalid_value', 'prompt_cache_retention');
}

function articleOf(value: Json): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return 'an object';
}
