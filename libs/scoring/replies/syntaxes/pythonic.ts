import type { Json, JsonObject } from '#lib/contracts/json/json';
import { jsonCallsIn } from './json-calls.js';
import { jsonOf, setArgument, type MarkedText, type Syntax, type CallsInSyntax, type WrittenCall } from './syntax.js';

/** Llama: `<|python_tag|>` before calls as JSON (`{"name": "f", "parameters": {...}}`) or as Python. */
export const llama: Syntax = {
  id: 'llama',
  marks: ['<|python_tag|>', '<|python_start|>'],
  read(text, at) {
    const end = text.findFirst(['<|eom_id|>', '<|eot_id|>', '<|python_end|>', '<|python_tag|>'], at);
    const section = text.text.slice(at, end);
    const calls = readExpressions(section, text, () => true) ?? jsonCallsIn(section);
    return calls && { calls, end };
  },
};

/** A text that consists only of Python calls of known tools, one per line or in a list, also in a code block. */
export function readPythonText(text: MarkedText): WrittenCall[] | undefined {
  const plain = text.text.trim();
  const fence = /^```(?:python|tool_code|py)?[ \t]*\r?\n/.exec(plain);
  const inside = fence && plain.endsWith('```') ? plain.slice(fence[0].length, -3).trim() : plain;
  const code = inside.startsWith('print(') && inside.endsWith(')') ? inside.slice('print('.length, -1) : inside;
  return readExpressions(code, text, (name) => text.tools.has(name.toLowerCase()));
}

const LISTED_CALL = /\[\s{0,100}([A-Za-z_][\w.-]{0,200})\s{0,10}\(/g;

/** Llama 3.2 and 4, and others: `[f(a=1), g(b="x")]`, of known tools, anywhere in a text. */
export function readPythonLists(text: MarkedText): CallsInSyntax[] {
  const found: CallsInSyntax[] = [];
  const budget = { left: 4 * text.text.length };
  LISTED_CALL.lastIndex = 0;
  for (let match; (match = LISTED_CALL.exec(text.text)) && budget.left > 0;) {
    if (!text.tools.has(match[1]!.toLowerCase())) continue;
    const reader = new PythonReader(text.text, match.index, budget);
    const calls = reader.readCalls();
    if (!calls?.every(({ name }) => text.tools.has(name.toLowerCase()))) continue;
    found.push({ calls, end: reader.at });
    LISTED_CALL.lastIndex = reader.at;
  }
  return found;
}

function readExpressions(
  code: string,
  { tools }: MarkedText,
  accepts: (name: string) => boolean,
): WrittenCall[] | undefined {
  if (!/^\s*(?:\[|[A-Za-z_][\w.-]*\s*\()/.test(code.slice(0, 300))) return undefined;
  const reader = new PythonReader(code, 0, { left: 4 * code.length });
  const calls: WrittenCall[] = [];
  do {
    const read = reader.readCalls();
    if (!read) return undefined;
    calls.push(...read);
  } while (!reader.isAtEnd());
  const known = calls.map((call) => ({ ...call, name: knownName(call.name, tools) }));
  return known.length > 0 && known.every(({ name }) => accepts(name)) ? known : undefined;
}

/** Resolves `default_api.f` to f if f is a tool. */
const knownName = (name: string, tools: ReadonlyMap<string, unknown>): string => {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return !tools.has(name.toLowerCase()) && tools.has(last.toLowerCase()) ? last : name;
};

const MAX_DEPTH = 64;
const NAME = /[A-Za-z_][\w.-]*/y;
const NUMBER = /[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const SPACE = /(?:\s|#[^\n]*)*/y;
const WORDS: Record<string, Json> = { True: true, False: false, None: null, true: true, false: false, null: null };
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0', '\n': '' };

class Unreadable extends Error {}
/**
 * A shared instance: a text may be tried at a hundred thousand places, and a stack trace costs more than the parsing.
 */
const UNREADABLE = new Unreadable();

/** Reads calls with literal arguments. Nothing is evaluated. */
class PythonReader {
  constructor(
    readonly code: string,
    public at: number,
    readonly budget: { left: number },
  ) {}

  /** Reads one call, or a list of calls. @returns undefined when there is none */
  readCalls(): WrittenCall[] | undefined {
    const start = this.at;
    try {
      this.#skipSpace();
      return this.#take('[') ? this.#items(']', () => this.#call()) : [this.#call()];
    } catch (error) {
      if (error instanceof Unreadable) return undefined;
      throw error;
    } finally {
      this.budget.left -= this.at - start + 1;
    }
  }

  /** Whether only separators of calls follow. */
  isAtEnd(): boolean {
    this.#skipSpace();
    while (this.#take(';')) this.#skipSpace();
    return this.at >= this.code.length;
  }

  #call(): WrittenCall {
    const name = this.#word(NAME);
    this.#skipSpace();
    this.#need('(');
    const given: JsonObject = {};
    this.#items(')', () => {
      const key = this.#word(NAME);
      this.#skipSpace();
      this.#need('=');
      const value = this.#value(1);
      setArgument(given, key, value);
    });
    return { name, arguments: given };
  }

  #value(depth: number): Json {
    if (depth > MAX_DEPTH) throw UNREADABLE;
    this.#skipSpace();
    const first = this.code[this.at] ?? '';
    if (this.#take('[')) return this.#items(']', () => this.#value(depth + 1));
    if (this.#take('(')) return this.#items(')', () => this.#value(depth + 1));
    if (this.#take('{')) return this.#dict(depth);
    if (first === '"' || first === "'") return this.#string(first);
    NUMBER.lastIndex = this.at;
    const number = NUMBER.exec(this.code)?.[0];
    if (number) {
      this.at += number.length;
      const plain = number.replaceAll('_', '').replace(/^\+/, '');
      const json = jsonOf(plain) ?? jsonOf(String(Number(plain)));
      if (json === undefined) throw UNREADABLE;
      return json;
    }
    const word = this.#word(NAME);
    if (!Object.hasOwn(WORDS, word)) throw UNREADABLE;
    return WORDS[word]!;
  }

  #dict(depth: number): JsonObject {
    const read: JsonObject = {};
    this.#items('}', () => {
      const key = this.#value(depth + 1);
      this.#skipSpace();
      this.#need(':');
      const value = this.#value(depth + 1);
      const name = typeof key === 'string' ? key : JSON.stringify(key);
      setArgument(read, name, value);
    });
    return read;
  }

  #items<Item>(close: string, read: () => Item): Item[] {
    const items: Item[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#take(close)) return items;
      items.push(read());
      this.#skipSpace();
      if (this.#take(',')) continue;
      this.#need(close);
      return items;
    }
  }

  #string(quote: string): string {
    const long = quote.repeat(3);
    const isLong = this.code.startsWith(long, this.at);
    const close = isLong ? long : quote;
    let text = '';
    for (let at = this.at + close.length; at < this.code.length; at++) {
      if (this.code.startsWith(close, at)) {
        this.at = at + close.length;
        return text;
      }
      const character = this.code[at]!;
      if (character === '\n' && !isLong) break;
      if (character !== '\\') {
        text += character;
        continue;
      }
      const escaped = this.code[++at] ?? '';
      const hex = /[xu]/.test(escaped)
        ? /^[\da-f]+$/i.exec(this.code.slice(at + 1, at + (escaped === 'u' ? 5 : 3)))?.[0]
        : undefined;
      if (hex !== undefined && hex.length === (escaped === 'u' ? 4 : 2)) {
        text += String.fromCharCode(parseInt(hex, 16));
        at += hex.length;
      } else text += ESCAPES[escaped] ?? (/["'\\]/.test(escaped) ? escaped : `\\${escaped}`);
    }
    this.budget.left -= this.code.length - this.at;
    throw UNREADABLE;
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const word = pattern.exec(this.code)?.[0];
    if (!word) throw UNREADABLE;
    this.at += word.length;
    return word;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.at;
    this.at += SPACE.exec(this.code)![0].length;
  }

  #take(character: string): boolean {
    if (this.code[this.at] !== character) return false;
    this.at++;
    return true;
  }

  #need(character: string): void {
    if (!this.#take(character)) throw UNREADABLE;
  }
}
