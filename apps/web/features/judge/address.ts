import type { Agreement, Judgement, Opinion, Preference } from '#lib/judge/contract';
import { flag, id, searchOf, text, wholeNumber, keyOf } from '../../address';

const model = text(300);

/** Judge reports: all of them, or those on a run. */
export const judgeSearch = searchOf({ eval: id, after: text(500) });

/** A new report: on a run, or on its wins over another. */
export const judgeNewSearch = searchOf({ eval: id, against: id });

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

/** Which judgements of a report are shown. */
export const reportSearch = searchOf({
  target: model,
  verdict: keyOf(OPINION_WORDS),
  preference: keyOf(PREFERENCE_WORDS),
  agreement: keyOf(AGREEMENT_WORDS),
  expectation_at_fault: flag,
  suspicious: flag,
  state: keyOf(STATE_WORDS),
  /** The number of the last judgement on the previous page. */
  after: wholeNumber(0),
});
export type ReportSearch = ReturnType<typeof reportSearch>;

/** The API query for the list. */
export function judgementsQueryOf({ after, ...filter }: ReportSearch): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, String(value));
  if (after !== undefined) query.set('cursor', String(after));
  return query;
}

/** What to label: results of a run, or all that the judge has judged. */
export const labelsSearch = searchOf({ eval: id, judge: model });

/** Whose calibration: that of a judge's current version, or of a report's judge. */
export const calibrationSearch = searchOf({ judge: model, report: id });
