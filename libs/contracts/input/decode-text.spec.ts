import { decodeText, TextReader, type BytesOfText } from './decode-text.js';
import { ProblemError } from './problem.js';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
const utf16le = (text: string): Uint8Array => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16();
const utf32le = (text: string): Uint8Array =>
  Buffer.concat([...text].map((one) => Buffer.from([one.codePointAt(0)!, 0, 0, 0])));
const csv = 'prompt,expected_tool\r\nIs it warm?,f\r\n';
const orSay = (charset: string): string => `say ${charset}`;

/** The text of these bytes, or the status and message of the error. */
function read(given: Uint8Array, source: Partial<BytesOfText> = {}, pieceBytes = given.length || 1): string {
  try {
    const reader = new TextReader({ name: 'The file', declareAs: orSay, ...source });
    let text = '';
    for (let from = 0; from < given.length; from += pieceBytes)
      text += reader.write(given.subarray(from, from + pieceBytes));
    return text + reader.end();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return `${error.status} ${error.message}`;
  }
}

describe('bytes are decoded', () => {
  it.each<[what: string, given: Uint8Array, charset: string | undefined, text: string]>([
    ['UTF-8', bytes('Zürich 😀\n'), undefined, 'Zürich 😀\n'],
    ['nothing', bytes(), undefined, ''],
    ['nothing but a mark', bytes([0xef, 0xbb, 0xbf]), undefined, ''],
    ['one character', bytes('é'), undefined, 'é'],
    ['UTF-8 with a mark', bytes([0xef, 0xbb, 0xbf], 'ü'), undefined, 'ü'],
    ['UTF-8 with a mark declared as UTF-8', bytes([0xef, 0xbb, 0xbf], 'ü'), 'UTF-8', 'ü'],
    ['a mark in the middle, which is a character', bytes('a\ufeffb'), undefined, 'a\ufeffb'],
    ['U+FFFD that the file really holds', bytes('a\ufffdb'), undefined, 'a\ufffdb'],
    ['ASCII by its label that is UTF-8', bytes('Zürich'), 'us-ascii', 'Zürich'],
    ['Windows-1252', bytes('Z', [0xfc], 'rich ', [0x80]), 'Windows-1252', 'Zürich €'],
    ['Windows-1252 under the name of its subset', bytes('Z', [0xfc], 'rich ', [0x80]), 'iso-8859-1', 'Zürich €'],
    ['Cyrillic', bytes([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), 'windows-1251', 'Привет'],
    ['Shift_JIS', bytes([0x93, 0x8c, 0x8b, 0x9e]), 'shift_jis', '東京'],
    ['GBK that is UTF-8 by chance', bytes([0xc2, 0xa9]), 'gbk', '漏'],
    ['Big5', bytes([0xa5, 0x78, 0xa5, 0x5f]), 'big5', '台北'],
    ['EUC-KR', bytes([0xbc, 0xad, 0xbf, 0xef]), 'euc-kr', '서울'],
    ['UTF-16 by its mark', bytes([0xff, 0xfe], [...utf16le(csv)]), undefined, csv],
    ['UTF-16 in the other order by its mark', bytes([0xfe, 0xff], [...utf16be(csv)]), undefined, csv],
    ['UTF-16 by its charset, without a mark', utf16le(csv), 'utf-16le', csv],
    ['UTF-16 by its charset, with a mark', bytes([0xff, 0xfe], [...utf16le(csv)]), 'utf-16le', csv],
    ['UTF-16BE by its charset', utf16be(csv), 'utf-16be', csv],
    ['UTF-16 whose mark says the order', bytes([0xfe, 0xff], [...utf16be(csv)]), 'utf-16', csv],
    ['UTF-16 whose NULs say the order', utf16be(csv), 'utf-16', csv],
    ['a pair of surrogates', bytes([0xff, 0xfe], [...utf16le('😀')]), undefined, '😀'],
    ['an empty charset', bytes('ü'), '', 'ü'],
  ])('%s', (_what, given, charset, text) => {
    for (const pieceBytes of [given.length || 1, 1, 3]) expect(read(given, { charset }, pieceBytes)).toBe(text);
  });

  it('in pieces of any size, with more before the first character that is cut in two', () => {
    const given = bytes(`${'x'.repeat(700)}üß€😀\n`.repeat(50));
    for (const pieceBytes of [1, 2, 3, 511, 513, 1024]) expect(read(given, {}, pieceBytes)).toBe(String(given));
  });
});

describe('bytes are refused with their place and a fix', () => {
  it.each<[what: string, given: Uint8Array, charset: string | undefined, refusal: RegExp]>([
    [
      'Windows-1252',
      bytes('prompt;tool\r\nWetter in Z', [0xfc], 'rich?;f\r\n'),
      undefined,
      /^400 The file is not UTF-8: byte 25 \(0xfc, in line 2\) .* Save it as UTF-8, or say windows-1252\.$/,
    ],
    ['Windows-1252 declared as UTF-8', bytes('Z', [0xfc], 'r'), 'utf-8', /^400 .* byte 2 \(0xfc, in line 1\)/],
    ['an overlong form', bytes('a', [0xc0, 0xaf]), undefined, /^400 .* byte 2 \(0xc0,/],
    ['a surrogate in UTF-8', bytes('a\n', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), undefined, /^400 .* byte 4 .* line 2/],
    ['a character beyond Unicode', bytes([0xf4, 0x90, 0x80, 0x80]), undefined, /^400 .* byte 2 \(0x90/],
    ['the end of a character alone', bytes('ab', [0x80]), undefined, /^400 .* byte 3 \(0x80/],
    [
      'a character that is cut off',
      bytes('ab\nc', [0xe2, 0x82]),
      undefined,
      /^400 .* ends in the middle .* line 2: was it cut/,
    ],
    ['UTF-16 without a mark', utf16le(csv), undefined, /^400 The file is UTF-16, not UTF-8\. .* or say utf-16le\.$/],
    ['UTF-16BE without a mark', utf16be(csv), undefined, /^400 .* UTF-16, .* or say utf-16be\.$/],
    ['UTF-16 without a mark declared as UTF-8', utf16le(csv), 'utf-8', /^400 .* UTF-16, /],
    [
      'UTF-16 that is cut in a character',
      bytes([0xff, 0xfe], [...utf16le(csv), 0x41]),
      undefined,
      /^400 .* not utf-16le.* line 3/,
    ],
    [
      'half a pair of surrogates',
      bytes([0xff, 0xfe], [...utf16le('a\nb'), 0, 0xd8, 0x41, 0]),
      undefined,
      /^400 .* line 2 /,
    ],
    ['UTF-32', bytes([0xff, 0xfe, 0, 0], [...utf32le('a')]), undefined, /^400 .* UTF-32/],
    ['UTF-32 without a mark', utf32le(csv), undefined, /^400 .* UTF-32/],
    [
      'a mark of UTF-16 declared as UTF-8',
      bytes([0xff, 0xfe], [...utf16le(csv)]),
      'utf-8',
      /^400 .* mark of UTF-16LE, .* declared as utf-8/,
    ],
    [
      'a mark of UTF-8 with another charset',
      bytes([0xef, 0xbb, 0xbf], 'ü'),
      'windows-1252',
      /^400 .* mark of UTF-8, .*windows-1252/,
    ],
    ['a mark of the other order', bytes([0xfe, 0xff], [...utf16be(csv)]), 'utf-16le', /^400 .* mark of UTF-16BE/],
    ['UTF-16BE declared as UTF-16LE', utf16be(csv), 'utf-16le', /^400 The file is not utf-16le/],
    ['UTF-8 declared as UTF-16', bytes('ab'), 'utf-16le', /^400 The file is not utf-16le/],
    [
      'ISO-2022-JP',
      bytes('a,', [0x1b, 0x24, 0x42, 0x45, 0x6c]),
      undefined,
      /^400 .* is ISO-2022, .* or say iso-2022-jp/,
    ],
    ['Windows-1252 with lines of an old Mac', bytes('a\rb\rc', [0xfc], 'd'), undefined, /^400 .* in line 3/],
    ['a file of bytes', bytes('PAR1', [0x15, 0, 0x15, 0xff, 0x80, 1, 2, 3]), undefined, /^400 The file is not UTF-8/],
    ['UTF-8 declared as ISO-8859-1', bytes('Zürich'), 'iso-8859-1', /^400 The file is UTF-8, .*windows-1252/],
    ['UTF-8 declared as Shift_JIS', bytes('東京の天気はどうですか'), 'shift_jis', /^400 /],
    [
      'what a charset does not have',
      bytes('a\nb', [0xd2]),
      'windows-1253',
      /^400 .* not windows-1253, .* line 2 holds/,
    ],
    ['an unknown charset', bytes('a'), 'utf-7', /^415 The charset "utf-7" is not known\. .*windows-1252\.$/],
    ['a charset of many characters', bytes('a'), 'x'.repeat(9000), /^415 The charset "x{40}" is not/],
    ['a charset that is replaced by the standard', bytes('a'), 'hz-gb-2312', /^415 /],
    ['a workbook', bytes([0x50, 0x4b, 3, 4, 0x14, 0]), undefined, /^400 The file is not text: .*workbook.*CSV UTF-8/],
    ['an old workbook', bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), undefined, /^400 .*Excel/],
    ['gzip', bytes([0x1f, 0x8b, 8, 0]), undefined, /^400 .*gzip/],
    ['Zstandard with a charset', bytes([0x28, 0xb5, 0x2f, 0xfd, 0]), 'windows-1252', /^400 .*Zstandard/],
  ])('%s', (_what, given, charset, refusal) => {
    for (const pieceBytes of [given.length, 1, 3]) expect(read(given, { charset }, pieceBytes)).toMatch(refusal);
  });

  it('wherever the byte stands, and however the file is cut into pieces', () => {
    for (const before of [510, 511, 512, 65_533, 65_534, 65_535, 65_536, 200_000]) {
      const given = bytes(`${'y'.repeat(before - 1)}\n€`, [0xe2, 0x82], 'z');
      for (const pieceBytes of [given.length, 64 * 1024, 1000])
        expect(read(given, {}, pieceBytes)).toMatch(`byte ${before + 6} (0x7a, in line 2)`);
    }
  });

  it('of any other encoding where it has to be UTF-8', () => {
    const source = { name: 'The body', isUtf8: true } as const;
    expect(() => decodeText(bytes([0xff, 0xfe], [...utf16le('{}')]), source)).toThrow(
      /UTF-16, not UTF-8\. Save it as UTF-8\.$/,
    );
    expect(() => decodeText(bytes('{}'), { ...source, charset: 'latin1' })).toThrow(/charset "latin1", and only UTF-8/);
    expect(decodeText(bytes('{}'), { ...source, charset: 'utf8' })).toBe('{}');
  });

  it('soon, however large it is', () => {
    const size = 10 * 2 ** 20;
    expect(read(new Uint8Array(size).fill(0xff))).toMatch(/^400 .* byte 1 /);
    expect(read(bytes('a'.repeat(size), [0xff]))).toMatch(`byte ${size + 1} `);
    expect(read(new Uint8Array(size))).toHaveLength(size);
  });
});
