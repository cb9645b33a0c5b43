import { placeInWords } from './job-place.js';

it.each([
  [1, 'Ada', 'next in the queue of Ada'],
  [2, 'Ada', '1 is before it in the queue of Ada'],
  [12, null, '11 are before it in the queue of its user'],
  [1000, 'Ada', '999 or more are before it in the queue of Ada'],
])('place %d is said in words', (position, user, words) => {
  expect(placeInWords(position, user)).toBe(words);
});
