import type { JudgedReply } from './contract.js';
import { agreementOf, concludePair, concludeReply, type ReadReplies } from './conclude.js';
import type { PreferenceReply } from './read-reply.js';

const says = (verdict: JudgedReply['verdict']): JudgedReply => ({
  verdict,
  tool: 'right',
  arguments: 'right',
  reasons: [`It is ${verdict}.`],
  expectation_at_fault: false,
  expectation_note: null,
});
const heard = <Said>(...said: Said[]): ReadReplies<Said> => ({ said, unreadable: [], failed: [] });
const verdictOf = (...said: JudgedReply['verdict'][]): unknown =>
  (concludeReply(true, heard(...said.map(says))) as { verdict: string }).verdict;

describe('several samples of one reply', () => {
  it('take the majority, and cannot tell without one', () => {
    expect(verdictOf('wrong', 'correct', 'correct')).toBe('correct');
    expect(verdictOf('wrong', 'correct')).toBe('cannot_tell');
    expect(verdictOf('wrong', 'correct', 'acceptable')).toBe('cannot_tell');
  });

  it('keep the number of votes for each', () => {
    expect(concludeReply(true, heard(says('wrong'), says('correct'), says('correct')))).toMatchObject({
      votes: { wrong: 1, correct: 2 },
      reasons: ['It is correct.'],
    });
  });
});

describe('a judgement that is missing', () => {
  it('is errored, never wrong, and states the reason', () => {
    expect(concludeReply(false, { said: [], unreadable: ['It does not call any tool.'], failed: [] })).toEqual({
      state: 'errored',
      error: "The judge's reply could not be read twice: It does not call any tool.",
    });
    expect(concludeReply(false, { said: [], unreadable: [], failed: ['503'] })).toEqual({
      state: 'errored',
      error: 'The judge gave no reply: 503',
    });
  });

  it('is missing even if only the judgement without texts was given', () => {
    expect(concludeReply(true, { said: [], unreadable: ['x'], failed: [] }, heard(says('correct'))).state).toBe(
      'errored',
    );
  });
});

it.each([
  ['correct', 'wrong', 'wrong'],
  ['wrong', 'correct', 'wrong'],
  ['correct', 'acceptable', 'acceptable'],
  ['correct', 'cannot_tell', 'cannot_tell'],
  ['acceptable', 'cannot_tell', 'cannot_tell'],
] as const)('of %s with texts and %s without, %s stands', (whole, bare, stands) => {
  expect(concludeReply(true, heard(says(whole)), heard(says(bare)))).toMatchObject({ verdict: stands });
});

it('agreement is with pass and fail, and null where the judge cannot tell', () => {
  expect(agreementOf('acceptable', true)).toBe('agrees');
  expect(agreementOf('acceptable', false)).toBe('kinder');
  expect(agreementOf('wrong', true)).toBe('stricter');
  expect(agreementOf('wrong', false)).toBe('agrees');
  expect(agreementOf('cannot_tell', true)).toBeNull();
});

describe('two replies in both orders', () => {
  const prefers = (winner: PreferenceReply['winner']): ReadReplies<PreferenceReply> =>
    heard({ winner, reasons: [`The ${winner}.`] });

  it.each([
    ['second', 'first', 'win', false],
    ['first', 'second', 'loss', false],
    ['tie', 'tie', 'tie', false],
    ['first', 'first', 'tie', true],
    ['second', 'second', 'tie', true],
    ['second', 'tie', 'tie', true],
  ] as const)('a judge that says %s and then %s: %s, changed its mind: %s', (forward, backward, verdict, flipped) => {
    expect(concludePair(prefers(forward), prefers(backward))).toMatchObject({ verdict, flipped, agreement: null });
  });

  it('give no judgement if one order has none', () => {
    expect(concludePair(prefers('first'), { said: [], unreadable: [], failed: ['503'] }).state).toBe('errored');
  });
});
