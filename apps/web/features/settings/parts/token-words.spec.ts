import { expiryInWords, expiryOf } from './token-words.js';

it('a token expires when the server says, never, or in a number of days, to the hour', () => {
  const now = new Date('2026-11-25T01:23:45.678Z');
  expect(expiryOf('usual', now)).toBeUndefined();
  expect(expiryOf('never', now)).toBeNull();
  expect(expiryOf('day', now)).toBe('2026-11-26T01:00:00.000Z');
  expect(expiryOf('year', now)).toBe('2027-11-25T01:00:00.000Z');
  expect(expiryInWords('2026-11-26T12:00:00.000Z')).toBe('26 Nov 2026');
  expect(expiryInWords(null)).toBe('never');
});
