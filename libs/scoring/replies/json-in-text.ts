/** Marks a bracket whose value is not closed. */
const NO_END = -1;

/**
 * Finds the outermost JSON objects and arrays in a text, in order, as [start, end) of each.
 * It takes linear time for any text, because it tries each opening bracket at most once. When reading from one bracket
 * fails, every bracket read as structure on the way is decided too: its value either ended or failed as well. Only
 * brackets inside strings are tried again. Two attempts at the same place read each other's strings as structure, so at
 * most two attempts read the same character.
 */
export function* findJsonSpans(text: string): Generator<[start: number, end: number]> {
  let ends: Int32Array | undefined;
  for (let at = 0; at < text.length; at++) {
    if (!isOpening(text.charCodeAt(at))) continue;
    ends ??= new Int32Array(text.length); // 0 means not tried.
    if (ends[at] === 0) read(text, at, ends);
    const end = ends[at]!;
    if (end === NO_END) continue;
    yield [at, end];
    at = end - 1;
  }
}

const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** What the grammar allows next. */
const enum Next {
  Value,
  ValueOrEnd,
  Key,
  KeyOrEnd,
  Colon,
  CommaOrEnd,
}

/** Reads one JSON value (RFC 8259), and records where it and every bracket in it end. */
function read(text: string, start: number, ends: Int32Array): void {
  const open: number[] = [];
  let next = Next.Value;
  let at = start;
  for (;;) {
    while (isSpace(text.charCodeAt(at))) at++;
    const code = text.charCodeAt(at); // NaN at the end, which no rule allows.
    const inObject = open.length > 0 && text.charCodeAt(open.at(-1)!) === 0x7b;
    if (
      (code === 0x7d && inObject && (next === Next.KeyOrEnd || next === Next.CommaOrEnd)) ||
      (code === 0x5d && !inObject && (next === Next.ValueOrEnd || next === Next.CommaOrEnd))
    ) {
      ends[open.pop()!] = ++at;
      if (open.length === 0) return;
      next = Next.CommaOrEnd;
    } else if (next === Next.CommaOrEnd) {
      if (code !== 0x2c) break;
      at++;
      next = inObject ? Next.Key : Next.Value;
    } else if (next === Next.Colon) {
      if (code !== 0x3a) break;
      at++;
      next = Next.Value;
    } else if (next === Next.Key || next === Next.KeyOrEnd) {
      if (code !== 0x22 || (at = endOfString(text, at)) < 0) break;
      next = Next.Colon;
    } else if (isOpening(code)) {
      open.push(at++);
      next = code === 0x7b ? Next.KeyOrEnd : Next.ValueOrEnd;
    } else {
      at = code === 0x22 ? endOfString(text, at) : endOfWord(text, at);
      if (at < 0) break;
      next = Next.CommaOrEnd;
    }
  }
  for (const bracket of open) ends[bracket] = NO_END;
}

/** @returns -1 if the string is not closed */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -1;
    if (code !== 0x5c) continue;
    at++;
    if (text[at] === 'u') {
      if (!/^[\da-f]{4}$/i.test(text.slice(at + 1, at + 5))) return -1;
      at += 4;
    } else if (!'"\\/bfnrt'.includes(text[at] ?? ' ')) return -1;
  }
  return -1;
}

const WORDS = ['true', 'false', 'null'];

function endOfWord(text: string, start: number): number {
  const word = WORDS.find((one) => text.startsWith(one, start));
  return word === undefined ? endOfNumber(text, start) : start + word.length;
}

function endOfNumber(text: string, start: number): number {
  const digits = (from: number): number => {
    let end = from;
    while (isDigit(text.charCodeAt(end))) end++;
    return end;
  };
  const whole = text[start] === '-' ? start + 1 : start;
  let at = digits(whole);
  if (at === whole) return -1;
  if (text[whole] === '0') at = whole + 1;
  if (text[at] === '.') {
    const end = digits(at + 1);
    if (end === at + 1) return -1;
    at = end;
  }
  if (text[at] === 'e' || text[at] === 'E') {
    const from = text[at + 1] === '+' || text[at + 1] === '-' ? at + 2 : at + 1;
    const end = digits(from);
    if (end === from) return -1;
    at = end;
  }
  return at;
}
