import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { byMerit, kindInWords, scoreInWords } from './candidate-words.js';

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
