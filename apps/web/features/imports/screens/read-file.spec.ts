import { readFailure, formatOf, sizeFailure, sizeOf, textOf } from './read-file.js';

it('reads the format from the file name if it is clear', () => {
  expect(['a.json', 'B.JSONL', 'x.y.csv', 'suite.yml', 'suite', 'a.toString'].map(formatOf)).toEqual([
    'native',
    'jsonl',
    'csv',
    'yaml',
    undefined,
    undefined,
  ]);
});

it('refuses a file above the size limit and suggests splitting it', () => {
  expect(sizeFailure({ name: 'a.json', size: 10 * 2 ** 20 })).toBeUndefined();
  expect(sizeFailure({ name: 'a.json', size: 12 * 2 ** 20 })).toMatch(
    /has 12\.0 MiB; the limit is 10\.0 MiB\. Split it/,
  );
  expect(sizeOf(10)).toBe('1 KiB');
});

it('reads a file as UTF-8, or as UTF-16 with a byte order mark, and explains what it cannot read', () => {
  const read = (bytes: Uint8Array): string => textOf('cases.csv', new Uint8Array(bytes).buffer);
  const faultIn = (bytes: Uint8Array): string => {
    try {
      return read(bytes);
    } catch (error) {
      return readFailure({ name: 'cases.csv' }, error);
    }
  };
  expect(read(Buffer.from('\ufeffZürich'))).toBe('Zürich');
  expect(read(Buffer.from('\ufeffZürich', 'utf16le'))).toBe('Zürich');
  expect(faultIn(Buffer.from('Zürich', 'latin1'))).toMatch(/^"cases.csv" is not UTF-8: byte 2 .* Save it as UTF-8\.$/);
  expect(faultIn(Buffer.from('PK\x03\x04', 'latin1'))).toMatch(/workbook/);
  expect(readFailure({ name: 'x' }, new Error('gone'))).toMatch(/^"x" cannot be read/);
});
