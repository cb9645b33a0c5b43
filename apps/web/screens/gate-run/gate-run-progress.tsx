import { useQuery } from '@tanstack/react-query';
import type { GateRun } from '#lib/gate/contract';
import { jobQuery, POLL_MS } from '../../api/jobs';
import type { LiveGateState } from '../../live/live-gate';
import { Bar } from '../../parts/bar';
import { Given } from '../../parts/given';
import { count } from '../../parts/score';
import { isUnderWay } from '../../parts/status';
import { duration } from '../../parts/time';
import { Announced, Connection, Waiting } from '../../parts/under-way';

/** The progress of a gate run, and what it is waiting for. */
export function GateRunProgress({ run, live }: { run: GateRun; live: LiveGateState }) {
  const { data: job } = useQuery({ ...jobQuery(run.job_id), refetchInterval: POLL_MS });
  const { done = 0, total = 0, errored = 0, eta_s: left = null } = job?.progress ?? {};
  const share = total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 0;
  return (
    <section aria-labelledby="progress" className="section">
      <h2 id="progress">Progress</h2>
      <Announced text={`${share} %, ${errored} errored`} />
      <p>
        {count(done)} of {count(total)} results of this look
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
        {left !== null && `, about ${duration(left * 1000)} left`}
      </p>
      <Bar done={done} total={total} label="Results of the gate run" />
      <Waiting status={job?.status ?? run.status} detail={job?.detail ?? null} />
      <Connection live={live} />
    </section>
  );
}

/** Why it has no decision, or none that counts. */
export function WhyStopped({ run: { status, job_id: jobId } }: { run: GateRun }) {
  const hasReason = !isUnderWay(status) && status !== 'completed';
  const { data } = useQuery({ ...jobQuery(jobId), enabled: hasReason });
  const reason = data?.error ?? data?.detail;
  if (!hasReason || reason == null) return null;
  return (
    <p className="notice">
      <Given text={reason} />
    </p>
  );
}
