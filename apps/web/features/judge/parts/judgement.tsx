import type { Judgement } from '#lib/judge/contract';
import { count } from '../../../ui/amounts';
import { Mark } from '../../../ui/status';
import { UserText } from '../../../ui/user-text';
import { AGREEMENT_WORDS, OPINION_WORDS, PREFERENCE_WORDS, STATE_WORDS } from '../address';
import css from './judge.module.css';

const MAX_REASONS = 20;

/** A judge's opinion of one result, and its reasons. All of it is the judge's, except the verdict next to it. */
export const JudgementText = ({ judgement }: { judgement: Judgement }) => (
  <>
    <div className="actions">
      <JudgementMark word={wordOf(judgement)} />
      <VerdictNote judgement={judgement} />
    </div>
    <JudgementReasons judgement={judgement} />
  </>
);

/** Why a judge thinks so. */
export function JudgementReasons({ judgement }: { judgement: Judgement }) {
  const { judged, reasons, suspicious, error } = judgement;
  return (
    <div className={css.judgement}>
      {judged && (
        <p className="muted small">
          Tools: {words(judged.tool)}; arguments: {words(judged.arguments)}
          <Votes votes={judgement.votes} />
        </p>
      )}
      {reasons.slice(0, MAX_REASONS).map((reason, index) => (
        <p key={index}>
          <UserText text={reason} />
        </p>
      ))}
      {judged?.expectation_at_fault && (
        <p>
          <strong>The judge considers the expectation wrong.</strong>{' '}
          {judged.expectation_note !== null && <UserText text={judged.expectation_note} />}
        </p>
      )}
      {suspicious && (
        <p className="notice">
          The reply contains text addressed to a grader. It was also judged without its text, and the stricter judgement
          applies.
        </p>
      )}
      {error !== null && (
        <p className="notice">
          Could not be judged: <UserText text={error} />
        </p>
      )}
    </div>
  );
}

const words = (word: string): string => word.replaceAll('_', ' ');

/** Whether the judge agrees with pass and fail, or its choice depends on the order. */
export function VerdictNote({ judgement: { agreement, passed, preference, flipped } }: { judgement: Judgement }) {
  if (preference !== null)
    return flipped ? <span className="small">The verdict changed when the two replies were swapped.</span> : null;
  return (
    <span className="small">
      {agreement === null || agreement === 'agrees' ? null : <strong>{AGREEMENT_WORDS[agreement]}: </strong>}
      <span className="muted">the result {passed ? 'passed' : 'did not pass'}</span>
    </span>
  );
}

/** Vote counts, if the judge was asked more than once. */
function Votes({ votes }: { votes: Judgement['votes'] }) {
  const said = Object.entries(votes);
  if (said.reduce((sum, [, n]) => sum + n, 0) < 2) return null;
  return <>; votes: {said.map(([word, n]) => `${words(word)} ${count(n)}`).join(', ')}</>;
}

const WORDS = { ...OPINION_WORDS, ...PREFERENCE_WORDS, ...STATE_WORDS };
type JudgementWord = keyof typeof WORDS;

/** Shape and colours of each, so that none depends on colour alone. */
const LOOKS: Record<JudgementWord, [shape: string, look: string]> = {
  correct: ['●', 'passed'],
  acceptable: ['◐', 'partial'],
  wrong: ['○', 'failed'],
  cannot_tell: ['·', 'waiting'],
  win: ['●', 'passed'],
  loss: ['○', 'failed'],
  tie: ['◐', 'partial'],
  judged: ['·', 'waiting'],
  waiting: ['·', 'waiting'],
  errored: ['–', 'errored'],
};

/** A judge's or a person's opinion of a result: a shape and a word. */
export function JudgementMark({ word }: { word: JudgementWord }) {
  const [shape, look] = LOOKS[word];
  return <Mark {...{ shape, look }}>{WORDS[word]}</Mark>;
}

/** An errored judgement is never `wrong`. */
export const wordOf = ({ state, judged, preference }: Judgement): JudgementWord =>
  state === 'judged' ? (judged?.verdict ?? preference ?? state) : state;
