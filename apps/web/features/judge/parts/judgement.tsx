import type { Judgement } from '#lib/judge/contract';
import { OPINION_WORDS, PREFERENCE_WORDS, STATE_WORDS } from '../address';
import { Mark } from '../../../ui/status';

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
