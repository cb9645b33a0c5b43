import { Link } from '@tanstack/react-router';
import type { CalibrationHead } from '#lib/judge/contract';
import { Mark } from '../../../ui/status';
import { UserText } from '../../../ui/user-text';
import css from './judge.module.css';

type Status = CalibrationHead['status'];

const LOOKS: Record<Status, [shape: string, look: string]> = {
  uncalibrated: ['◌', 'partial'],
  weak: ['○', 'failed'],
  usable: ['◐', 'waiting'],
  good: ['●', 'passed'],
};

/** How well people's labels confirm a judge, in a word. */
export function CalibrationStatus({ status }: { status: Status }) {
  const [shape, look] = LOOKS[status];
  return <Mark {...{ shape, look }}>{status}</Mark>;
}

interface SentenceProps {
  calibration: CalibrationHead;
  /** The report whose judge is meant, with its instructions. */
  report?: string;
}

/** The same in a sentence, shown next to a judge's figures in every state. */
export const CalibrationSentence = ({ calibration: { status, text }, report }: SentenceProps) => (
  <p className={`notice ${css.calibration}`}>
    {status === 'uncalibrated' ? <UserText text={text} /> : <CalibrationWords status={status} text={text} />}
    {report !== undefined && (
      <>
        {' '}
        <Link to="/judge/calibration" search={{ report }}>
          Calibration
        </Link>
      </>
    )}
  </p>
);

/** A server's sentence begins with the status, which the mark says. */
const CalibrationWords = ({ status, text }: { status: Status; text: string }) => (
  <>
    <CalibrationStatus status={status} /> <UserText text={text.slice(text.indexOf(':') + 1).trimStart()} />
  </>
);

/** Follows a judge's figure that no labels have confirmed, where nothing else says so. */
export const Uncalibrated = ({ status }: { status: Status }) =>
  status === 'uncalibrated' && <span className={`${css.uncalibrated} small`}> uncalibrated</span>;
