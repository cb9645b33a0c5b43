import { bytesInWords, expiryOf } from './setting-words.js';

it('a token expires never, or in a number of days, to the hour', () => {
  const now = new Date('2026-11-25T01:23:45.678Z');
  expect(expiryOf('never', now)).toBeNull();
  expect(expiryOf('day', now)).toBe('2026-11-26T01:00:00.000Z');
  expect(expiryOf('year', now)).toBe('2027-11-25T01:00:00.000Z');
});

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [2_310_144, '2.2 MiB'],
  [5 * 1024 ** 5, '5120.0 TiB'],
])('%d bytes are shown in a readable unit', (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words);
});
