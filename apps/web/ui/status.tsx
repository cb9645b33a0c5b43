import type { ReactNode } from 'react';
import type { JobStatus } from '#lib/contracts/job-status';
import { isFinished } from '#lib/contracts/values/jobs';

/** The label, shape and colours of each status. */
const LOOKS: Record<JobStatus, [word: string, shape: string, look: string]> = {
  pending: ['pending', '·', 'waiting'],
  queued: ['queued', '·', 'waiting'],
  running: ['running', '▸', 'waiting'],
  completed: ['completed', '●', 'passed'],
  failed: ['failed', '○', 'failed'],
  cancelled: ['cancelled', '–', 'partial'],
  budget_exceeded: ['budget spent', '◐', 'partial'],
};
export const isUnderWay = (status: JobStatus): boolean => !isFinished(status);

export function Status({ status }: { status: JobStatus }) {
  const [word, shape, look] = LOOKS[status];
  return <Mark {...{ shape, look }}>{word}</Mark>;
}

/** A shape, and words in its colours. */
export const Mark = ({ shape, look, children }: { shape: string; look: string; children: ReactNode }) => (
  <span className={`status ${look}`}>
    <span aria-hidden="true">{shape}</span> {children}
  </span>
);
export const UP = { shape: '●', look: 'passed' };
export const DOWN = { shape: '○', look: 'failed' };

/** A progress bar. */
export function Bar({ done, total, label }: { done: number; total: number; label: string }) {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  return (
    <span
      className="bar-of"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(share * 100)}
    >
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}
