import { matchCases } from './match-cases.js';

/** "id:content" or "id:question/expectation" */
const keyed = (...cases: string[]) =>
  cases.map((text) => {
    const [caseId, content] = text.split(':') as [string, string];
    return { caseId, content, question: content.split('/')[0]! };
  });

it('matches cases with the same id and content, and counts those whose content changed', () => {
  expect(matchCases(keyed('1:x', '2:y', '3:z'), keyed('2:Y', '1:x', '4:w'))).toEqual({
    common: [{ a: 0, b: 1 }],
    changed: 1,
    changedExpectations: 0,
    sameQuestion: [],
    onlyA: 1,
    onlyB: 1,
  });
});

it('matches cases without a counterpart by id on content, each once, in order', () => {
  expect(matchCases(keyed('1:x', '2:x', '3:x', '4:y'), keyed('5:x', '4:y', '6:x', '7:y')).common).toEqual([
    { a: 0, b: 0 },
    { a: 3, b: 1 },
    { a: 1, b: 2 },
  ]);
});

it('does not match a changed case with another case that has its old content', () => {
  expect(matchCases(keyed('1:x'), keyed('1:y', '2:x'))).toMatchObject({ common: [], changed: 1, onlyA: 0, onlyB: 1 });
});

it('counts cases with the same question and another expectation', () => {
  expect(matchCases(keyed('1:p/a', '2:p/a'), keyed('1:p/b', '2:q/a'))).toMatchObject({
    changed: 2,
    changedExpectations: 1,
    sameQuestion: [{ a: 0, b: 0 }],
  });
});

it('returns no matches for no cases', () => {
  expect(matchCases([], [])).toMatchObject({ common: [], changed: 0, changedExpectations: 0, onlyA: 0, onlyB: 0 });
});
