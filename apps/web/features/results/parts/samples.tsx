import { verdictOf, VerdictMark } from './verdict';
import type { Result } from '../api/results';

type Sample = Pick<Result, 'outcome' | 'passed' | 'overall'>;
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
    <span className="sample-marks">
      {samples.slice(0, MAX_DOTS).map((sample, index) => (
        <VerdictMark key={index} word={verdictOf(sample)} />
      ))}
      <span>{samplesText(samples)}</span>
    </span>
  );
}
