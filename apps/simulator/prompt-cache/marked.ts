import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { requireList } from '../formats/format.js';
import { FIVE_MINUTES_MS } from './implicit.js';
import { keyOf, readOn, salt, EMPTY_PREFIX, type PrefixPosition } from './prefix-position.js';
import { MIN_CACHED_TOKENS, UNCACHED, type CacheablePrompt, type CacheUse, type PromptCache } from './prompt-cache.js';

type Ttl = '5m' | '1h';
const TTL_MS: Record<Ttl, number> = { '5m': FIVE_MINUTES_MS, '1h': 12 * FIVE_MINUTES_MS };
const MAX_MARKS = 4;
/** How many blocks, backwards from a mark, are looked up in the cache. */
const LOOKBACK = 20;

/** A part of a prompt at which a cached prefix can end. */
interface Block {
  section: 'tools' | 'system' | 'messages';
  /** Its path in the section, and in the content of the message. */
  path: string;
  role: string;
  value: JsonObject;
}
/** A cache mark on the block with that index. */
interface Mark {
  index: number;
  ttl: Ttl;
}
interface MarkedPrompt {
  blocks: Block[];
  /** In the order of the blocks. */
  marks: Mark[];
}

/**
 * The blocks of a request to Anthropic, in the order in which the model reads them, and which of them are marked with
 * `cache_control`. From memory: what happens when a block is marked twice, by itself and by the request, and the
 * messages for a mark that is not an object, has no type, or has other fields. Marks inside a tool result are not read.
 * @throws Error in Anthropic's words
 */
export function readMarks(body: JsonObject): MarkedPrompt {
  const blocks = blocksOf(body);
  const marks = blocks.flatMap((block, index) => {
    const ttl = markOf(block);
    return ttl ? [{ index, ttl }] : [];
  });
  const automatic = readTtl(body.cache_control, 'cache_control');
  if (automatic) addAutomatic(automatic, blocks, marks);
  if (marks.length > MAX_MARKS)
    throw new Error(
      `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${String(marks.length)}.`,
    );
  const late = marks.find(({ ttl }, at) => ttl === '1h' && at > 0 && marks[at - 1]!.ttl === '5m');
  if (late)
    throw new Error(
      `${blocks[late.index]!.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` +
        'cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
    );
  return { blocks, marks };
}

function blocksOf({ tools, system, messages }: JsonObject): Block[] {
  const section = (name: 'tools' | 'system', values: Json | undefined): Block[] =>
    requireList(values).map((value, index) => ({ section: name, path: `${name}.${index}`, role: name, value }));
  return [
    ...section('tools', tools),
    ...section('system', asBlocks(system)),
    ...requireList(messages).flatMap(({ role, content }, index) =>
      requireList(asBlocks(content)).map((value, at): Block => {
        return { section: 'messages', path: `messages.${index}.content.${at}`, role: toText(role), value };
      }),
    ),
  ];
}

const asBlocks = (content: Json | undefined): Json =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? null);

function markOf({ section, path, value }: Block): Ttl | undefined {
  const { cache_control: control, type, text } = value;
  if (control === undefined || control === null) return undefined;
  const tag = { tools: '.custom', system: '', messages: `.${shortened(type)}` }[section];
  if (isThought(value)) throw new Error(`${path}${tag}.cache_control: Extra inputs are not permitted`);
  const ttl = readTtl(control, `${path}${tag}.cache_control`);
  if (type === 'text' && text === '')
    throw new Error(`${path}${tag}: cache_control cannot be set for empty text blocks`);
  return ttl;
}

function readTtl(control: Json | undefined, place: string): Ttl | undefined {
  if (control === undefined || control === null) return undefined;
  if (!isObject(control))
    throw new Error(`${place}: Input should be a valid dictionary or object to extract fields from`);
  const { type, ttl = '5m', ...others } = control;
  if (type === undefined) throw new Error(`${place}: Unable to extract tag using discriminator 'type'`);
  if (type !== 'ephemeral') {
    throw new Error(
      `${place}: Input tag '${shortened(type)}' found using 'type' does not match any of the expected tags: ` +
        "'ephemeral'",
    );
  }
  if (ttl !== '5m' && ttl !== '1h') throw new Error(`${place}.ephemeral.ttl: Input should be '5m' or '1h'`);
  const other = Object.keys(others)[0];
  if (other !== undefined) throw new Error(`${place}.ephemeral.${shortened(other)}: Extra inputs are not permitted`);
  return ttl;
}

const shortened = (value: Json | undefined): string => toText(value).slice(0, 64);

/** A mark on the whole request applies to the last markable block. */
function addAutomatic(ttl: Ttl, blocks: Block[], marks: Mark[]): void {
  const index = blocks.findLastIndex(({ value }) => !isThought(value) && !(value.type === 'text' && value.text === ''));
  if (index < 0) return;
  const own = marks.find((mark) => mark.index === index);
  if (own && own.ttl !== ttl)
    throw new Error(`cache_control.ttl: must be that of the last block, which has a ttl of '${own.ttl}' of its own`);
  if (own) return;
  marks.push({ index, ttl });
  marks.sort((a, b) => a.index - b.index);
}

const isThought = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking';

/** A prompt whose prefixes are cached up to its marks. Without marks nothing is cached. */
export function markedPrompt(body: JsonObject): CacheablePrompt | undefined {
  const { blocks, marks } = readMarks(body);
  if (marks.length === 0) return undefined;
  const places = placesOf(body, blocks.slice(0, marks.at(-1)!.index + 1));
  const names = places.map((place) => `anthropic ${keyOf(place)}`);
  return {
    use(cache, nowMs, tokens) {
      const cached = places.map(({ characters }) => Math.min(Math.ceil(characters / 4), tokens - 1));
      return useMarks(
        cache,
        nowMs,
        names,
        cached,
        marks.filter(({ index }) => cached[index]! >= MIN_CACHED_TOKENS),
      );
    },
  };
}

/** The places after the tools of recent requests, by tool list. */
const afterTools = new WeakMap<object, PrefixPosition[]>();

/**
 * The place after each block. A different tool choice or thinking mode changes the places of the messages, but not of
 * the rest.
 */
function placesOf({ tools, tool_choice: choice, thinking }: JsonObject, blocks: Block[]): PrefixPosition[] {
  const known = Array.isArray(tools) ? (afterTools.get(tools) ?? []) : [];
  const places = known.slice(0, blocks.length);
  for (const { section, role, value } of blocks.slice(places.length)) {
    const before = places.at(-1) ?? EMPTY_PREFIX;
    const isFirst = section === 'messages' && blocks[places.length - 1]?.section !== 'messages';
    const salted = salt(before, isFirst ? JSON.stringify([role, choice ?? null, thinking ?? null]) : role);
    const { cache_control: _mark, ...content } = value;
    places.push(readOn(salted, JSON.stringify(content)));
  }
  const tooled = places.slice(0, requireList(tools).length);
  if (Array.isArray(tools) && tooled.length > known.length) afterTools.set(tools, tooled);
  return places;
}

/**
 * Reads the longest cached prefix, and keeps all marked ones. Tokens beyond it are written: up to the last one-hour
 * mark for an hour, then up to the last five-minute mark for five minutes.
 * @param cached number of tokens up to each block
 */
function useMarks(cache: PromptCache, nowMs: number, names: string[], cached: number[], marks: Mark[]): CacheUse {
  const hit = longestHit(cache, nowMs, names, cached, marks);
  const read = hit === undefined ? 0 : cached[hit]!;
  const upTo = (wanted: Mark[]) => Math.max(read, cached[wanted.at(-1)?.index ?? -1] ?? 0);
  const hourEnd = upTo(marks.filter(({ ttl }) => ttl === '1h'));
  const end = upTo(marks);
  const kept = hit === undefined ? marks : [...marks, { index: hit, ttl: '5m' as const }];
  for (const { index, ttl } of kept) cache.keep(names[index]!, nowMs, cache.ttlOf(names[index]!, nowMs) ?? TTL_MS[ttl]);
  return marks.length === 0 ? UNCACHED : { read, written1h: hourEnd - read, written5m: end - hourEnd };
}

function longestHit(
  cache: PromptCache,
  nowMs: number,
  names: string[],
  cached: number[],
  marks: Mark[],
): number | undefined {
  for (const { index } of marks.toReversed())
    for (let at = index; at >= 0 && at > index - LOOKBACK && cached[at]! >= MIN_CACHED_TOKENS; at--)
      if (cache.ttlOf(names[at]!, nowMs) !== undefined) return at;
  return undefined;
}
