import { agentInWords, expiryOf } from './token-words.js';

it('a token expires when the server says, never, or in a number of days, to the hour', () => {
  const now = new Date('2026-11-25T01:23:45.678Z');
  expect(expiryOf('usual', now)).toBeUndefined();
  expect(expiryOf('never', now)).toBeNull();
  expect(expiryOf('day', now)).toBe('2026-11-26T01:00:00.000Z');
  expect(expiryOf('year', now)).toBe('2027-11-25T01:00:00.000Z');
});

it.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/143.0 Safari/537.36 Edg/143.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Version/18.4 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:135.0) Gecko/20100101 Firefox/135.0', 'Firefox on macOS'],
  ['toolmark/1.4 node/24', 'toolmark/1.4 node/24'],
  ['x'.repeat(300), 'x'.repeat(60)],
  [null, 'unknown'],
])('%p is shown as a browser and its system, or as it calls itself', (agent, words) => {
  expect(agentInWords(agent)).toBe(words);
});
