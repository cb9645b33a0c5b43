import { placeInWords } from './job-link.js';

it.each([
  [1, 'Ada', 'next in the queue of Ada'],
  [2, 'Ada', '1 ahead in the queue of Ada'],
  [12, null, '11 ahead in the queue of its user'],
  [1000, 'Ada', '999 or more ahead in the queue of Ada'],
])('place %d is shown in words', (position, user, words) => {
  expect(placeInWords(position, user)).toBe(words);
});
