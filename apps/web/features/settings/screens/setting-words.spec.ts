import { bytesInWords } from './setting-words.js';

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [2_310_144, '2.2 MiB'],
  [5 * 1024 ** 5, '5120.0 TiB'],
])('%d bytes are shown in a readable unit', (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words);
});
