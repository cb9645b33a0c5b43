import { useQuery } from '@tanstack/react-query';
import type { JobStatus } from '#lib/contracts/job-status';
import { jobQuery } from '../api';
import { POLL_MS } from '../../../api/query-client';
import type { LiveState } from '../../../live/live-job';
import { Bar, isUnderWay } from '../../../ui/status';
import { UserText } from '../../../ui/user-text';
import { count } from '../../../ui/amounts';
import { duration } from '../../../ui/time';
import { LiveAnnouncement, ConnectionNotice, WaitingNotice } from './under-way';

interface Props {
  work: { job_id: string; status: JobStatus };
  live: LiveState;
  /** What the bar counts, for screen readers. */
  label: string;
  /** What follows the numbers: "judged". */
  unit: string;
  /** Default: the counts of the job. */
  counts?: { done: number; total: number; errored: number };
}

/** The progress of a job, and what it is waiting for. */
export function JobProgress({ work, live, label, unit, counts }: Props) {
  const { data: job } = useQuery({ ...jobQuery(work.job_id), refetchInterval: POLL_MS });
  const { done, total, errored } = counts ?? job?.progress ?? { done: 0, total: 0, errored: 0 };
  const share = total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 0;
  const left = job?.progress.eta_s ?? null;
  return (
    <section aria-labelledby="progress" className="section">
      <h2 id="progress">Progress</h2>
      <LiveAnnouncement text={`${share} %, ${errored} errored`} />
      <p>
        {count(done)} of {count(total)} {unit}
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
        {left !== null && `, about ${duration(left * 1000)} left`}
      </p>
      <Bar done={done} total={total} label={label} />
      <WaitingNotice status={job?.status ?? work.status} detail={job?.detail ?? null} />
      <ConnectionNotice live={live} />
    </section>
  );
}

/** Why unfinished work has stopped. */
export function StopReason({ work: { status, job_id: jobId } }: Pick<Props, 'work'>) {
  const hasReason = !isUnderWay(status) && status !== 'completed';
  const { data } = useQuery({ ...jobQuery(jobId), enabled: hasReason });
  const reason = data?.error ?? data?.detail;
  if (!hasReason || reason == null) return null;
  return (
    <p className="notice">
      <UserText text={reason} />
    </p>
  );
}
