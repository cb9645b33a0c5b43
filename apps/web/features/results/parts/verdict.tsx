import type { Result } from '../api';
import css from './results.module.css';

type Sample = Pick<Result, 'outcome' | 'passed' | 'overall'> & Partial<Pick<Result, 'unmatched'>>;
export type VerdictWord = 'passed' | 'partial' | 'failed' | 'errored';

/** A result without a score is errored, never failed. */
export const verdictOf = ({ outcome, passed, overall }: Sample): VerdictWord => {
  if (outcome === 'errored') return 'errored';
  if (passed) return 'passed';
  return (overall ?? 0) > 0 ? 'partial' : 'failed';
};

const RADIUS = 4.5;

/** The shape of a verdict, so that none depends on colour alone: disc, half, ring, dash. */
export function VerdictMark({ word }: { word: VerdictWord }) {
  return (
    <svg className={`${css.mark} ${word}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {word === 'errored' ? (
        <path d="M2 6h8" />
      ) : (
        <circle cx="6" cy="6" r={RADIUS} className={word === 'passed' ? css.full : undefined} />
      )}
      {word === 'partial' && (
        <path className={css.full} d={`M6 ${6 - RADIUS}a${RADIUS} ${RADIUS} 0 0 0 0 ${2 * RADIUS}z`} />
      )}
    </svg>
  );
}

/** The verdict of a result: a shape and a word. */
export function Verdict({ of }: { of: Sample }) {
  const word = verdictOf(of);
  return (
    <span className={`verdict ${css.verdict} ${word}`}>
      <VerdictMark word={word} />
      {of.unmatched ? 'left out' : word}
    </span>
  );
}

const MAX_DOTS = 20;

/** "3 of 5 passed", "2 of 3 passed, 1 errored". */
export function samplesText(samples: readonly Sample[]): string {
  const errored = samples.filter(({ outcome }) => outcome === 'errored').length;
  const scored = samples.length - errored;
  const passed = samples.filter((sample) => sample.passed).length;
  if (scored === 0) return `${errored} errored`;
  return `${passed} of ${scored} passed${errored ? `, ${errored} errored` : ''}`;
}

/** The samples of a case as a row of marks, and in words. */
export function Samples({ samples }: { samples: readonly Sample[] }) {
  return (
    <span className={css.samples}>
      {samples.slice(0, MAX_DOTS).map((sample, index) => (
        <VerdictMark key={index} word={verdictOf(sample)} />
      ))}
      <span>{samplesText(samples)}</span>
    </span>
  );
}
