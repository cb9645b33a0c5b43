import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import { findJsonSpans } from './json-in-text.js';

/** The text of a model, split into what it says, without its quotes, and its thoughts. */
export interface SplitText {
  said: string;
  thoughts: string;
}

/** Marks around thoughts. Several models omit the first one, because their template has already written it. */
const THOUGHTS: [begin: string, ...ends: string[]][] = [
  ...[
    'think',
    'thinking',
    'thought',
    'thoughts',
    'thought_process',
    'chain_of_thought',
    'reason',
    'reasoning',
    'reflection',
    'analysis',
    'scratchpad',
    'seed:think',
  ].map((name): [string, string] => [`<${name}>`, `</${name}>`]),
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  // Harmony. A message of this channel to a function still counts as a call.
  ['<|channel|>analysis<|message|>', '<|end|>', '<|start|>', '<|channel|>', '<|return|>', '<|call|>'],
  ['<|channel>thought', '<channel|>'],
];
/** Marks around tool definitions and tool results, which a model may make up. They contain no calls. */
const QUOTES: [begin: string, ...ends: string[]][] = [
  ...['tool_response', 'tool_result', 'tool_results', 'function_results', 'tools', 'available_tools'].map(
    (name): [string, string] => [`<${name}>`, `</${name}>`],
  ),
  ['[TOOL_RESULTS]', '[/TOOL_RESULTS]'],
  ['[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]'],
  ['<|tool_response|>', '<|/tool_response|>', '<|end_of_text|>'],
  ['<｜tool▁output▁begin｜>', '<｜tool▁output▁end｜>'],
];

const MARKS = [
  ...THOUGHTS.map((marks) => ({ marks, kind: 'thought' })),
  ...QUOTES.map((marks) => ({ marks, kind: 'quote' })),
];
const BEGIN = new Map(MARKS.map(({ marks: [begin, ...ends], kind }) => [begin.toLowerCase(), { ends, kind }]));
/** End marks of thoughts that may occur without a start mark. */
const END = new Set(THOUGHTS.filter(([, ...ends]) => ends.length === 1).map(([, end]) => end!.toLowerCase()));
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const ANY_MARK = new RegExp(
  [...BEGIN.keys(), ...END]
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join('|'),
  'gi',
);
/** Every mark contains one of these. */
const MAY_HAVE_MARKS = /[<[◁]/;

/**
 * Splits a text at its marks, in linear time. Marks inside JSON, such as a call's arguments, do not count.
 * @param keepQuotes keeps the model's quotes in the text, for human readers
 */
export function splitThoughts(text: string, { keepQuotes = false } = {}): SplitText {
  if (!MAY_HAVE_MARKS.test(text)) return splitWithoutMarks(text);
  ANY_MARK.lastIndex = 0;
  if (!ANY_MARK.test(text)) return splitWithoutMarks(text);
  const json = new JsonPlaces(text);
  const said: string[] = [];
  const thoughts: string[] = [];
  let from = 0;
  let hasThought = false;
  ANY_MARK.lastIndex = 0;
  for (let match; (match = ANY_MARK.exec(text));) {
    if (json.includes(match.index)) continue;
    const mark = match[0].toLowerCase();
    const begun = BEGIN.get(mark);
    if (begun) {
      said.push(text.slice(from, match.index));
      const start = match.index + mark.length;
      const [end, next] = endOf(text, begun.ends, start, json);
      if (begun.kind === 'thought') {
        thoughts.push(text.slice(start, end));
        hasThought = true;
      } else if (keepQuotes) said.push(text.slice(match.index, next));
      from = next;
      ANY_MARK.lastIndex = next;
    } else if (!hasThought) {
      // The template wrote the start mark.
      thoughts.push(...said.splice(0), text.slice(from, match.index));
      hasThought = true;
      from = match.index + mark.length;
    }
  }
  said.push(text.slice(from));
  return { said: said.join(''), thoughts: thoughts.join('\n') };
}

/**
 * The end of a section, and the position where the text continues. A section without an end mark takes the rest of the
 * text.
 */
function endOf(text: string, ends: string[], start: number, json: JsonPlaces): [end: number, next: number] {
  const pattern = new RegExp(ends.map(escaped).join('|'), 'gi');
  pattern.lastIndex = start;
  for (let match; (match = pattern.exec(text));) {
    if (json.includes(match.index)) continue;
    // A mark that starts its own message stays in the text.
    const keeps = /^<\|(?:start|channel)\|>$/.test(match[0]);
    return [match.index, keeps ? match.index : match.index + match[0].length];
  }
  return [text.length, text.length];
}

/** The positions of valid JSON in a text. They must be queried in order. */
class JsonPlaces {
  readonly #spans: Iterator<[number, number]>;
  #span: [start: number, end: number] | undefined;

  constructor(text: string) {
    this.#spans = findJsonSpans(text);
    this.#next();
  }

  includes(place: number): boolean {
    while (this.#span && this.#span[1] <= place) this.#next();
    return this.#span !== undefined && this.#span[0] < place;
  }

  #next(): void {
    const { value, done } = this.#spans.next();
    this.#span = done ? undefined : value;
  }
}

/**
 * Headings that replace marks: those of Granite and Apriel, and Harmony without the special tokens, which the host
 * omitted.
 */
const HEADINGS: [begin: RegExp, end: RegExp][] = [
  [/^\s*Here(?:'s| is) my thought process:/i, /Here(?:'s| is) my response:/i],
  [/^\s*Here are my reasoning steps:/i, /\[BEGIN FINAL RESPONSE\]/],
  [/^analysis/, /assistantfinal|(?=assistantcommentary)/],
];

function splitWithoutMarks(text: string): SplitText {
  for (const [begin, end] of HEADINGS) {
    const begun = begin.exec(text);
    if (!begun) continue;
    const start = begun[0].length;
    const ended = end.exec(text.slice(start));
    if (ended)
      return {
        said: text.slice(start + ended.index + ended[0].length),
        thoughts: text.slice(start, start + ended.index),
      };
  }
  return { said: text, thoughts: '' };
}

const THOUGHT_PARTS = wordSet('thinking reasoning reasoning_text reasoning_content thought summary_text analysis');
const isThought = (part: JsonObject): boolean => part.thought === true || THOUGHT_PARTS.has(part.type as string);

/** The text of a message's content, without the thoughts. */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) =>
      typeof part === 'string'
        ? part
        : isObject(part) && !isThought(part) && typeof part.text === 'string'
          ? part.text
          : '',
    )
    .join('');
}

/** How much of the separate thoughts of a message is read: their end, which is where a model turns to a call. */
const MAX_THOUGHTS = 64 * 1024;

/** The end of the thoughts that a message has in a separate field, whatever its host calls it. */
export function thoughtsInFields(message: JsonObject, maxCharacters = MAX_THOUGHTS): string {
  const {
    reasoning_content,
    reasoning,
    thinking,
    thoughts,
    reasoning_details,
    thinking_blocks,
    content_blocks,
    output_items,
    content,
  } = message;
  const own = [reasoning_content, reasoning, thinking, thoughts].find(
    (text) => typeof text === 'string' && text !== '',
  );
  if (typeof own === 'string') return own.slice(-maxCharacters);
  const parts = [reasoning_details, thinking_blocks, content_blocks, output_items, content].flatMap((list) =>
    Array.isArray(list) ? list.filter(isObject).filter((part) => isThought(part) || list === reasoning_details) : [],
  );
  return parts.flatMap(textsOfThought).join('\n').slice(-maxCharacters);
}

function textsOfThought({
  text,
  thinking,
  reasoning,
  reasoning_content: content,
  summary,
  content: parts,
}: JsonObject): string[] {
  const own = [text, thinking, reasoning, content].filter((one) => typeof one === 'string');
  const inner = [thinking, summary, parts].flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
      : [],
  );
  return [...own, ...inner, ...(typeof summary === 'string' ? [summary] : [])];
}

/** What a message says to its reader: its text, without thoughts. */
export const saidIn = (message: JsonObject): string => {
  const text = contentText(message.content);
  return splitThoughts(text, { keepQuotes: true }).said;
};
