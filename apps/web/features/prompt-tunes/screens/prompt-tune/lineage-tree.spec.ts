import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { lineageOf } from './lineage-tree.js';

const made = (candidate: number, parents: number[], state: PromptCandidate['state'] = 'accepted') =>
  ({ candidate, parents, state }) as PromptCandidate;
const drawn = (candidates: PromptCandidate[]) =>
  lineageOf(candidates).map(({ candidate, depth, rejected }) => [
    candidate.candidate,
    depth,
    rejected.map((one) => one.candidate),
  ]);

it('each candidate is followed by its descendants, with rejected ones attached', () => {
  expect(
    drawn([
      made(0, []),
      made(1, [0]),
      made(2, [0], 'rejected'),
      made(3, [1], 'rejected'),
      made(4, [0], 'front'),
      made(5, [1, 4], 'best'),
      made(6, [5], 'undecided'),
    ]),
  ).toEqual([
    [0, 0, [2]],
    [1, 1, [3]],
    [5, 2, []],
    [6, 3, []],
    [4, 1, []],
  ]);
});

it('children of rejected candidates are kept, at any depth', () => {
  expect(drawn([made(0, []), made(1, [0], 'rejected'), made(2, [1]), made(3, [1, 0])])).toEqual([
    [0, 0, [1]],
    [3, 1, []],
    [2, 0, []],
  ]);
  const chain = Array.from({ length: 20_000 }, (_, n) => made(n, n === 0 ? [] : [n - 1]));
  expect(lineageOf(chain).at(-1)).toMatchObject({ depth: 19_999 });
});
