import { beyondChance } from './beyond-chance.js';

it.each<[number, (number | null)[]]>([
  [0, []],
  [0, [null, 0.5]],
  [1, [0.01]],
  [0, [0.03, 0.5]],
  [1, [0.001, 0.03, 0.5]],
  [2, [0.5, 0.001, 0.02, null]],
  [3, [0.01, 0.01, 0.01]],
])('%d of a family of groups differ beyond chance: %j', (count, values) => {
  expect(beyondChance(values)).toBe(count);
});
