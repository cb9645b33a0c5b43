import { OPINIONS } from '#lib/contracts/values/judging';
import type { Agreement, JudgedReply, Opinion, Preference } from './contract.js';
import type { PreferenceReply } from './read-reply.js';

/** The judge's replies to one request, sample by sample: as parsed, or why there is nothing to parse. */
export interface ReadReplies<Said> {
  said: readonly Said[];
  /** Reasons of the replies that could not be parsed. */
  unreadable: readonly string[];
  /** Reasons of the requests that got no reply. */
  failed: readonly string[];
}

/** A judgement as it is stored. */
export type Conclusion =
  | {
      state: 'judged';
      verdict: Opinion | Preference;
      agreement: Agreement | null;
      flipped: boolean;
      /** When one reply was judged; null for two. */
      judged: JudgedReply | null;
      reasons: string[];
      votes: Record<string, number>;
    }
  | { state: 'errored'; error: string };

/** From lenient to strict: of two judgements of one reply, the stricter one counts. */
const STRICTNESS: readonly Opinion[] = ['correct', 'acceptable', 'cannot_tell', 'wrong'];

/**
 * Combines the judgements of one reply.
 * @param bare of the same reply without its texts, when these address a grader
 */
export function concludeReply(
  passed: boolean,
  whole: ReadReplies<JudgedReply>,
  bare?: ReadReplies<JudgedReply>,
): Conclusion {
  const votes = [whole, ...(bare ? [bare] : [])].map(majority);
  const missing = votes.find((vote) => 'error' in vote);
  if (missing && 'error' in missing) return { state: 'errored', error: missing.error };
  const heard = votes as Vote[];
  const strictest = heard.toSorted(
    (a, b) => STRICTNESS.indexOf(b.judged.verdict) - STRICTNESS.indexOf(a.judged.verdict),
  )[0]!;
  const { judged, counts } = strictest;
  return {
    state: 'judged',
    verdict: judged.verdict,
    agreement: agreementOf(judged.verdict, passed),
    flipped: false,
    judged,
    reasons: judged.reasons,
    votes: counts,
  };
}

export const isOk = (verdict: string): boolean => verdict === 'correct' || verdict === 'acceptable';

/** Null when the judge cannot tell. */
export function agreementOf(verdict: Opinion, passed: boolean): Agreement | null {
  if (verdict === 'cannot_tell') return null;
  if (isOk(verdict) === passed) return 'agrees';
  return passed ? 'stricter' : 'kinder';
}

interface Vote {
  judged: JudgedReply;
  counts: Record<string, number>;
}

/** The verdict of more than half of the samples; without a majority, the judge cannot tell. */
function majority({ said, ...nothing }: ReadReplies<JudgedReply>): Vote | { error: string } {
  if (said.length === 0) return { error: describeMissing(nothing) };
  const counts = countBy(said.map(({ verdict }) => verdict));
  const winner = OPINIONS.find((verdict) => (counts[verdict] ?? 0) * 2 > said.length);
  if (winner) return { judged: said.find(({ verdict }) => verdict === winner)!, counts };
  const [first] = said;
  const reasons = [`No majority of ${said.length} samples.`, ...first!.reasons].slice(0, 3);
  return { judged: { ...first!, verdict: 'cannot_tell', reasons }, counts };
}

/**
 * Combines the judgements of two replies in both orders. A judge that does not choose the same reply in both has no
 * preference, or a position bias.
 * @param forward with `a` first
 * @param backward with `b` first
 */
export function concludePair(
  forward: ReadReplies<PreferenceReply>,
  backward: ReadReplies<PreferenceReply>,
): Conclusion {
  const ways = [
    preferenceIn(forward, { first: 'loss', second: 'win', tie: 'tie' }),
    preferenceIn(backward, { first: 'win', second: 'loss', tie: 'tie' }),
  ];
  const missing = ways.find((way) => 'error' in way);
  if (missing && 'error' in missing) return { state: 'errored', error: missing.error };
  const [one, other] = ways as OrderPreference[];
  const flipped = one!.preference !== other!.preference;
  return {
    state: 'judged',
    verdict: flipped ? 'tie' : one!.preference,
    agreement: null,
    flipped,
    judged: null,
    reasons: flipped
      ? [`With a first: ${one!.reason}`, `With b first: ${other!.reason}`]
      : [...new Set([one!.reason, other!.reason])],
    votes: countBy([...one!.all, ...other!.all]),
  };
}

interface OrderPreference {
  preference: Preference;
  reason: string;
  all: Preference[];
}

function preferenceIn(
  { said, ...nothing }: ReadReplies<PreferenceReply>,
  meaning: Record<PreferenceReply['winner'], Preference>,
): OrderPreference | { error: string } {
  if (said.length === 0) return { error: describeMissing(nothing) };
  const all = said.map(({ winner }) => meaning[winner]);
  const counts = countBy(all);
  const preference = (['win', 'loss'] as const).find((one) => (counts[one] ?? 0) * 2 > said.length) ?? 'tie';
  const speaker = said.find(({ winner }) => meaning[winner] === preference) ?? said[0]!;
  return { preference, reason: speaker.reasons[0] ?? 'No reason was given.', all };
}

function describeMissing({ unreadable, failed }: Pick<ReadReplies<unknown>, 'unreadable' | 'failed'>): string {
  if (unreadable.length > 0) return `The judge's reply could not be read twice: ${unreadable.at(-1)}`;
  return failed.length > 0 ? `The judge gave no reply: ${failed.at(-1)}` : 'The judge was not asked.';
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
