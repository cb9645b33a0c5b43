import { Link } from '@tanstack/react-router';
import type { CalibrationHead } from '#lib/judge/contract';
import { Given } from './given';
import './calibration.css';
import './status.css';

type Status = CalibrationHead['status'];

const LOOKS: Record<Status, [shape: string, look: string]> = {
  uncalibrated: ['◌', 'partial'],
  weak: ['○', 'failed'],
  usable: ['◐', 'waiting'],
  good: ['●', 'passed'],
};

/** How far people confirm a judge, in a word. */
export function CalibrationStatus({ status }: { status: Status }) {
  const [shape, look] = LOOKS[status];
  return (
    <span className={`status ${look}`}>
      <span aria-hidden="true">{shape}</span> {status}
    </span>
  );
}

interface SentenceProps {
  calibration: CalibrationHead;
  /** Whose it is: that of the judge of a report, with its instructions. */
  report?: string;
}

/** The same in a sentence. It stands beside the figures of a judge, whatever they are. */
export const CalibrationSentence = ({ calibration: { status, text }, report }: SentenceProps) => (
  <p className="notice calibration">
    <CalibrationStatus status={status} /> <Given text={text} />
    {report !== undefined && (
      <>
        {' '}
        <Link to="/judge/calibration" search={{ report }}>
          Its calibration
        </Link>
      </>
    )}
  </p>
);

/** Behind a figure of a judge that nobody has confirmed. */
export const Uncalibrated = ({ status }: { status: Status }) =>
  status === 'uncalibrated' && <span className="uncalibrated small"> uncalibrated</span>;
