import { ProblemError } from './problem.js';

/** The source of the bytes, and what is known about their encoding. */
export interface BytesOfText {
  /** Its name in messages, such as `The body`. */
  name: string;
  /** A label of the WHATWG Encoding Standard. If undefined, UTF-8 is assumed. */
  charset?: string | undefined;
  /** Only UTF-8 is accepted, whatever the byte order mark says. */
  isUtf8?: true;
  /**
   * How to declare another charset, as the continuation of "Save it as UTF-8, or "; undefined where that is not
   * possible.
   */
  declareAs?: ((charset: string) => string) | undefined;
}

/** The smallest portion to decode. This much of the start is enough to detect binary files, and UTF-16 by its NULs. */
const PORTION_BYTES = 512;
/** Signatures of binary files that users mistake for text. */
const BINARY_SIGNATURES: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ['a workbook (.xlsx, .ods) or another ZIP archive. Save a table as "CSV UTF-8", or unpack it', [0x50, 0x4b, 3, 4]],
  ['an Excel workbook (.xls). Save it as "CSV UTF-8"', [0xd0, 0xcf, 0x11, 0xe0]],
  ['compressed with gzip. Unpack it', [0x1f, 0x8b]],
  ['compressed with Zstandard. Unpack it', [0x28, 0xb5, 0x2f, 0xfd]],
];
/** Longest first: the mark of UTF-16 is a prefix of that of UTF-32. */
const BYTE_ORDER_MARKS: readonly (readonly [charset: string, bytes: readonly number[]])[] = [
  ['utf-32', [0xff, 0xfe, 0, 0]],
  ['utf-32', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** Labels that the standard maps to windows-1252, although ASCII bytes are also valid UTF-8. */
const ASCII: ReadonlySet<string> = new Set(['us-ascii', 'ascii', 'ansi_x3.4-1968', 'iso646-us']);
/** Labels that leave the byte order to a mark. */
const UTF16: ReadonlySet<string> = new Set(['utf-16', 'unicode', 'csunicode', 'ucs-2', 'iso-10646-ucs-2']);
const MULTIBYTE_CHARSETS = /^(gb|big5|euc-|shift_jis|iso-2022)/;
/** This many multi-byte characters of UTF-8 do not occur by chance in another multi-byte encoding. */
const MIN_MULTIBYTE_CHARACTERS = 4;
const MAX_SHOWN = 40;

/**
 * Decodes bytes.
 * @throws ProblemError as `TextReader`
 */
export function decodeText(bytes: Uint8Array, source: BytesOfText): string {
  const reader = new TextReader(source);
  return reader.write(bytes) + reader.end();
}

/**
 * Decodes bytes as they arrive, and drops the byte order mark. Bytes that are invalid in their charset are never
 * replaced by U+FFFD. UTF-16 is read if the charset or a byte order mark says so.
 * @throws ProblemError 415 for a charset that is unknown or not accepted, 400 with the byte or line and how to fix it
 */
export class TextReader {
  readonly #charset: string | undefined;
  /** Undecoded bytes: first the head, later small portions. */
  readonly #waiting = new Uint8Array(PORTION_BYTES);
  #waits = 0;
  #decoder: Utf8Decoder | CharsetDecoder | undefined;

  constructor(readonly source: BytesOfText) {
    this.#charset = knownCharset(source);
  }

  write(bytes: Uint8Array): string {
    if (this.#waits + bytes.length >= PORTION_BYTES) return this.#read(joined(this.#taken(), bytes));
    this.#waiting.set(bytes, this.#waits);
    this.#waits += bytes.length;
    return '';
  }

  end(): string {
    return this.#read(this.#taken()) + this.#decoder!.end();
  }

  #taken(): Uint8Array {
    const taken = this.#waiting.slice(0, this.#waits);
    this.#waits = 0;
    return taken;
  }

  #read(bytes: Uint8Array): string {
    this.#decoder ??= this.#begin(bytes.subarray(0, PORTION_BYTES));
    return this.#decoder.write(bytes);
  }

  #begin(head: Uint8Array): Utf8Decoder | CharsetDecoder {
    const charset = charsetOf(head, this.#charset, this.source);
    return charset === 'utf-8' ? new Utf8Decoder(this.source) : new CharsetDecoder(charset, this.source);
  }
}

/** The label of a charset in lower case; undefined if none is given. @throws ProblemError 415 */
function knownCharset({ name, charset, isUtf8, declareAs: orSay }: BytesOfText): string | undefined {
  const label = charset?.trim().toLowerCase();
  if (label === undefined || label === '') return undefined;
  if (ASCII.has(label)) return 'utf-8';
  const encoding = encodingOf(label);
  if (encoding === undefined)
    throw new ProblemError(
      415,
      `The charset "${label.slice(0, MAX_SHOWN)}" is not known. ${saveAdvice(orSay, 'windows-1252')}`,
    );
  if (encoding !== 'utf-8' && isUtf8)
    throw new ProblemError(
      415,
      `${name} comes with the charset "${label.slice(0, MAX_SHOWN)}", and only UTF-8 is read here. ` +
        'Save it as UTF-8, and leave the charset out.',
    );
  return UTF16.has(label) ? 'utf-16' : encoding;
}

function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The charset to decode with. @throws ProblemError 400 for bytes that are not text or in another charset */
function charsetOf(
  head: Uint8Array,
  said: string | undefined,
  { name, isUtf8, declareAs: orSay }: BytesOfText,
): string {
  const begins = ([, bytes]: readonly [unknown, readonly number[]]): boolean =>
    bytes.every((byte, index) => head[index] === byte);
  const packed = BINARY_SIGNATURES.find(begins);
  if (packed) throw new ProblemError(400, `${name} is not text: it is ${packed[0]}.`);
  const marked = BYTE_ORDER_MARKS.find(begins)?.[0];
  const found = marked ?? charsetByNuls(head);
  if (found === 'utf-32') throw new ProblemError(400, `${name} is UTF-32, which is not read. Save it as UTF-8.`);
  if (said === 'utf-16') return found === 'utf-16be' ? found : 'utf-16le';
  if (said !== undefined && marked !== undefined && marked !== said)
    throw new ProblemError(
      400,
      `${name} begins with the byte order mark of ${marked.toUpperCase()}, but its charset is declared as ${said}. ` +
        'Leave the charset out, or save it as UTF-8.',
    );
  if (said !== undefined && said !== 'utf-8') {
    const isOther = said.startsWith('utf-16') && head.length > 0 && (found ? found !== said : !head.includes(0));
    if (isOther) throw new ProblemError(400, `${name} is not ${said}, as its charset says. Save it as UTF-8.`);
    return said;
  }
  if (found === undefined || found === 'utf-8') return 'utf-8';
  if (marked !== undefined && !isUtf8) return marked;
  throw new ProblemError(400, `${name} is UTF-16, not UTF-8. ${saveAdvice(orSay, found)}`);
}

/** Detects UTF-16 and UTF-32 by the NULs in ASCII characters, of which every supported file has many. */
function charsetByNuls(head: Uint8Array): string | undefined {
  const nuls = [0, 0, 0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) nuls[index % 4]!++;
  const [first, second, third, fourth] = nuls.map((count) => count > 0.9 * (head.length / 4));
  if (first && second && third && fourth) return undefined;
  if ((first && second) || (third && fourth)) return 'utf-32';
  const [even, odd] = [nuls[0]! + nuls[2]!, nuls[1]! + nuls[3]!];
  if (Math.max(even, odd) < Math.max(1, head.length / 6)) return undefined;
  if (odd > 3 * even) return 'utf-16le';
  return even > 3 * odd ? 'utf-16be' : undefined;
}

const saveAdvice = (orSay: BytesOfText['declareAs'], charset: string): string =>
  `Save it as UTF-8${orSay ? `, or ${orSay(charset)}` : ''}.`;

/** The escape of 7-bit Japanese, Chinese and Korean encodings. It is not a terminal sequence. */
const ISO_2022 = '\u001b$';
/** Throws at the first byte that is not UTF-8. */
class Utf8Decoder {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #lines = new LineCounter();
  #bytes = 0;
  /** The last bytes, which may be the start of a character. */
  #last: Uint8Array = new Uint8Array();

  constructor(readonly source: BytesOfText) {}

  write(bytes: Uint8Array): string {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw this.#fault(bytes);
    }
    if (text.includes(ISO_2022)) throw isoFault(this.source);
    this.#bytes += bytes.length;
    this.#lines.add(text);
    this.#last = joined(this.#last, bytes.subarray(-3)).slice(-3);
    return text;
  }

  end(): string {
    try {
      return this.#decoder.decode();
    } catch {
      throw new ProblemError(
        400,
        `${this.source.name} ends in the middle of a character, at line ${this.#lines.line}: was it cut off, or is ` +
          `it not UTF-8? ${saveAdvice(this.source.declareAs, 'windows-1252')}`,
      );
    }
  }

  #fault(bytes: Uint8Array): ProblemError {
    const begun = unfinished(this.#last);
    const all = joined(begun, bytes);
    const at = validLength(all);
    const { line } = this.#lines.add(new TextDecoder().decode(all.subarray(0, at)));
    const byte = all[at]!.toString(16).padStart(2, '0');
    return new ProblemError(
      400,
      `${this.source.name} is not UTF-8: byte ${this.#bytes - begun.length + at + 1} (0x${byte}, in line ${line}) ` +
        `belongs to no character. ${saveAdvice(this.source.declareAs, 'windows-1252')}`,
    );
  }
}

type Decoder = InstanceType<typeof TextDecoder>;
/**
 * Decodes another charset. Rejects bytes that are invalid in it, and bytes that are UTF-8 despite the declared charset.
 */
class CharsetDecoder {
  readonly #strict: Decoder;
  /** Its replacement characters locate the line of a fault. */
  readonly #lenient: Decoder;
  /** Undefined once the bytes are not UTF-8. */
  #utf8: Decoder | undefined;
  #foreign = 0;
  readonly #lines = new LineCounter();

  constructor(
    readonly charset: string,
    readonly source: BytesOfText,
  ) {
    this.#strict = new TextDecoder(charset, { fatal: true });
    this.#lenient = new TextDecoder(charset);
    if (!charset.startsWith('utf-16')) this.#utf8 = new TextDecoder('utf-8', { fatal: true });
  }

  write(bytes: Uint8Array): string {
    return this.#decode(bytes, true);
  }

  end(): string {
    const text = this.#decode(new Uint8Array(), false);
    if (this.#utf8 && this.#foreign >= (MULTIBYTE_CHARSETS.test(this.charset) ? MIN_MULTIBYTE_CHARACTERS : 1))
      throw new ProblemError(
        400,
        `${this.source.name} is UTF-8, but its charset is declared as ${this.charset}. Leave the charset out.`,
      );
    return text;
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    this.#readAsUtf8(bytes, stream);
    const lenient = this.#lenient.decode(bytes, { stream });
    try {
      const text = this.#strict.decode(bytes, { stream });
      this.#lines.add(text);
      return text;
    } catch {
      const { line } = this.#lines.add(lenient.slice(0, lenient.indexOf('\ufffd')));
      throw new ProblemError(
        400,
        `${this.source.name} is not ${this.charset}, as its charset says: line ${line} holds bytes that it has no ` +
          'character for. Name its own charset, or save it as UTF-8.',
      );
    }
  }

  #readAsUtf8(bytes: Uint8Array, stream: boolean): void {
    try {
      const text = this.#utf8?.decode(bytes, { stream }) ?? '';
      for (let index = 0; index < text.length && this.#foreign < MIN_MULTIBYTE_CHARACTERS; index++)
        if (text.charCodeAt(index) > 0x7f) this.#foreign++;
    } catch {
      this.#utf8 = undefined;
    }
  }
}

const isoFault = ({ name, declareAs: orSay }: BytesOfText): ProblemError =>
  new ProblemError(400, `${name} is ISO-2022, not UTF-8. ${saveAdvice(orSay, 'iso-2022-jp')}`);

/** Counts lines by line feeds or, if there are none, by carriage returns. */
class LineCounter {
  #feeds = 0;
  #returns = 0;

  add(text: string): this {
    this.#feeds += countOf(text, '\n');
    if (this.#feeds === 0) this.#returns += countOf(text, '\r');
    return this;
  }

  get line(): number {
    return 1 + (this.#feeds || this.#returns);
  }
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** The incomplete character at the end of valid UTF-8. */
function unfinished(last: Uint8Array): Uint8Array {
  for (let length = 1; length <= last.length; length++) {
    const byte = last.at(-length)!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length < needed ? last.slice(-length) : new Uint8Array();
  }
  return new Uint8Array();
}

/**
 * The length of the valid UTF-8 at the start of bytes that are not all valid, including an incomplete last character.
 */
function validLength(bytes: Uint8Array): number {
  let from = 0;
  let piece = bytes.subarray(0, PIECE_BYTES);
  while (isBeginOfUtf8(piece)) {
    from += piece.length - unfinished(piece.subarray(-3)).length;
    piece = bytes.subarray(from, from + PIECE_BYTES);
  }
  let [valid, invalid] = [0, piece.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isBeginOfUtf8(piece.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return from + valid;
}
const PIECE_BYTES = 2 ** 16;

function isBeginOfUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
