import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { byMerit, kindInWords, lineageOf, scoreInWords } from './candidates.js';

const NONE = { minibatch: null, parent: null, select: null, final: null, holdout: null };
const scored = (scores: Partial<PromptCandidate['scores']>) => scoreInWords({ scores: { ...NONE, ...scores } });

it('a candidate is described by its origin', () => {
  expect(kindInWords({ kind: 'base', parents: [] })).toBe('the base');
  expect(kindInWords({ kind: 'reflection', parents: [3] })).toBe('reflection on 3');
  expect(kindInWords({ kind: 'merge', parents: [3, 5] })).toBe('merge of 3 and 5');
});

it('its score is from the selection cases, or from the few it was made for', () => {
  expect(scored({})).toBeUndefined();
  expect(scored({ minibatch: 0.5, parent: 0.25 })).toBe('50.0 % on a few cases, its parent 25.0 %');
  expect(scored({ minibatch: 0.5, select: 0.7 })).toBe('70.0 %');
  expect(scored({ select: 0.7, holdout: 0.625 })).toBe('70.0 %, held out 62.5 %');
});

it('the best comes first, then the highest score', () => {
  const of = (candidate: number, state: PromptCandidate['state'], select: number | null) =>
    ({ candidate, state, scores: { ...NONE, select } }) as PromptCandidate;
  const all = [of(1, 'front', 0.9), of(2, 'best', 0.8), of(3, 'finalist', 0.9), of(4, 'front', null)];
  expect(all.toSorted(byMerit).map(({ candidate }) => candidate)).toEqual([2, 3, 1, 4]);
});

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
