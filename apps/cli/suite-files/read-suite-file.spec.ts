import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImport, readSuiteFile, readText } from './read-suite-file.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, bytes: string | Uint8Array): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};
const textIn = (path: string, encoding?: string): string =>
  (JSON.parse(readImport(path, { format: 'csv', encoding }).body) as { text: string }).text;

it('a file is decoded by its byte order mark or --encoding, and invalid bytes are refused', () => {
  const csv = 'prompt\nWetter in Zürich?\n';
  expect(textIn(file('utf8.csv', `\ufeff${csv}`))).toBe(csv);
  expect(textIn(file('utf16.csv', Buffer.from(`\ufeff${csv}`, 'utf16le')))).toBe(csv);
  const latin1 = file('latin1.csv', Buffer.from(csv, 'latin1'));
  expect(textIn(latin1, 'windows-1252')).toBe(csv);
  expect(() => textIn(latin1)).toThrow(
    /latin1\.csv is not UTF-8: byte 19 .*line 2.*, or give --encoding windows-1252\.$/,
  );
  expect(() => textIn(latin1, 'klingon')).toThrow(/"klingon" is not known\. .*--encoding/);
  expect(() => readText(latin1)).toThrow(/Save it as UTF-8\.$/);
  expect(() => readText(join(folder, 'nothing'))).toThrow(/There is no file/);
});

it('a suite written by Windows PowerShell can be read', () => {
  expect(readSuiteFile(file('suite.json', Buffer.from('\ufeff{"name": "Zürich"}\r\n', 'utf16le')))).toBe(
    '{"name": "Zürich"}\r\n',
  );
  expect(() => readSuiteFile(file('bad.json', Buffer.from('{"name": "Zürich"}', 'latin1')))).toThrow(/byte 12/);
});
