import type { Agreement, Judgement, Opinion, Preference } from '#lib/judge/contract';
import { flag, keyOf, searchOf, text, wholeNumber } from '../../address';

/** A judge's opinion of a reply in words; also for comparisons. */
export const OPINION_WORDS: Record<Opinion, string> = {
  correct: 'correct',
  acceptable: 'acceptable',
  wrong: 'wrong',
  cannot_tell: 'cannot tell',
};
export const PREFERENCE_WORDS: Record<Preference, string> = { win: 'win', loss: 'loss', tie: 'tie' };
export const AGREEMENT_WORDS: Record<Agreement, string> = {
  agrees: 'agrees with the verdict',
  kinder: 'more lenient than the verdict',
  stricter: 'stricter than the verdict',
};
export const STATE_WORDS: Record<Judgement['state'], string> = {
  judged: 'judged',
  errored: 'errored',
  waiting: 'waiting',
};

/** The name of a model in an address. */
export const model = text(300);

/** Which judgements of a report are shown. */
export const reportSearch = searchOf({
  target: model,
  verdict: keyOf(OPINION_WORDS),
  preference: keyOf(PREFERENCE_WORDS),
  agreement: keyOf(AGREEMENT_WORDS),
  disputed: flag,
  expectation_at_fault: flag,
  suspicious: flag,
  state: keyOf(STATE_WORDS),
  /** The number of the last judgement on the previous page. */
  after: wholeNumber(0),
});
export type ReportSearch = ReturnType<typeof reportSearch>;

/** The same as the API takes it. */
export function judgementsFilter(search: ReportSearch) {
  const { after, ...filter } = reportSearch(search);
  return { ...filter, cursor: after };
}
