import type { Result } from '../api/results';
import './verdict.css';

export type VerdictWord = 'passed' | 'partial' | 'failed' | 'errored';

/** A result without a score is errored, never failed. */
export const verdictOf = ({
  outcome,
  passed,
  overall,
}: Pick<Result, 'outcome' | 'passed' | 'overall'>): VerdictWord => {
  if (outcome === 'errored') return 'errored';
  if (passed) return 'passed';
  return (overall ?? 0) > 0 ? 'partial' : 'failed';
};

const RADIUS = 4.5;

/** The shape of a verdict, so that none depends on colour alone: disc, half, ring, dash. */
export function VerdictMark({ word }: { word: VerdictWord }) {
  return (
    <svg className={`mark ${word}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {word === 'errored' ? (
        <path d="M2 6h8" />
      ) : (
        <circle cx="6" cy="6" r={RADIUS} className={word === 'passed' ? 'full' : undefined} />
      )}
      {word === 'partial' && (
        <path className="full" d={`M6 ${6 - RADIUS}a${RADIUS} ${RADIUS} 0 0 0 0 ${2 * RADIUS}z`} />
      )}
    </svg>
  );
}

/** The verdict of a result: a shape and a word. */
export function Verdict({ of }: { of: Pick<Result, 'outcome' | 'passed' | 'overall'> }) {
  const word = verdictOf(of);
  return (
    <span className={`verdict ${word}`}>
      <VerdictMark word={word} />
      {word}
    </span>
  );
}
