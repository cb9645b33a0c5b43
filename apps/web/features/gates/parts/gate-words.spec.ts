import {
  answerWords,
  levelText,
  lookWords,
  marginWarning,
  pointsText,
  ruleWords,
  sensitivityWords,
} from './gate-words.js';

const rules = {
  measure: 'passed',
  margin: 0.03,
  floor: { pass_rate: 0.9 },
  models: ['p::a', 'p::b'],
  critical_tags: ['money', 'safety'],
  max_errored_share: 0.05,
  looks: 2,
  max_requests: 1000,
} as never;

it('the rules of a gate are shown in words, and those that it does not have are not', () => {
  expect(ruleWords(rules)).toEqual([
    ['Margin', '3 points of passed'],
    ['Models', 'p::a, p::b'],
    ['Floor', '90.0 % of the samples pass'],
    ['Critical', 'cases tagged money, safety'],
    ['Errored', 'up to 5.0 %'],
    ['Looks', '2, up to 1,000 requests'],
  ]);
  const least = { ...(rules as object), floor: null, models: null, critical_tags: [], looks: 1, max_requests: null };
  expect(ruleWords(least as never).map(([, words]) => words)).toEqual(['3 points of passed', 'up to 5.0 %', '1']);
});

it.each<[number, string]>([
  [0.02, '2 points'],
  [0.005, '0.5 points'],
  [0.01, '1 point'],
])('a margin of %d is %s', (share, words) => expect(pointsText(share)).toBe(words));

it('a look is counted, and its level has no superfluous digits', () => {
  const look = { number: 2, planned: 4, alpha: 0.016, final: false };
  expect([lookWords(look), levelText(look)]).toEqual(['2 of 4', '98.4 %']);
});

const shown = {
  cases: 55,
  samples: 8,
  smallest_loss: 0.06,
  smallest_margin: 0.0623,
  can_pass: false,
  cases_needed: 178,
};
it('a form says which loss its cases show, and when the margin cannot be reached', () => {
  expect(sensitivityWords(shown)).toBe('With 55 cases, a loss of about 6 points is shown.');
  expect(marginWarning(shown, 0.02)).toBe(
    'An equal run cannot pass: 55 cases need a margin above 6.2 points. Your margin takes about 180 cases.',
  );
  expect(marginWarning({ ...shown, can_pass: true, cases_needed: 1000 }, 0.07)).toBe(
    'Few equal runs pass a margin of 7 points. Your margin takes about 1,000 cases.',
  );
  expect(marginWarning({ ...shown, can_pass: true, cases_needed: null }, 0.1)).toBeUndefined();
  expect(sensitivityWords({ ...shown, cases: 1, smallest_loss: 1 })).toBe(
    'With 1 case, a loss of about 100 points is shown.',
  );
});

it('an answer about several models counts them, and that about one is its sentence', () => {
  const of = (...results: string[]) =>
    answerWords({
      result: results[0],
      text: 'The new run is worse.',
      targets: results.map((result) => ({ result })),
    } as never);
  expect(of('fail')).toBe('The new run is worse.');
  expect(of('fail', 'pass', 'pass')).toBe('1 of 3 models fails.');
  expect(of('inconclusive', 'inconclusive', 'pass')).toBe('2 of 3 models are undecided.');
  expect(of('pass', 'pass')).toBe('Both models pass.');
});
