import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ParamTune } from '#lib/param-tune/contract';
import { POLL_MS } from '../../../api/query-client';
import type { LiveState } from '../../../live/live-job';
import { Bar } from '../../../ui/status';
import { count } from '../../../ui/amounts';
import { duration } from '../../../ui/time';
import { jobQuery } from '../../jobs/api';
import { ConnectionNotice, LiveAnnouncement, WaitingNotice } from '../../jobs/parts/under-way';

interface Props {
  tune: Pick<ParamTune, 'job_id' | 'status' | 'step' | 'planned_requests'>;
  live: LiveState;
  /** Additional facts known so far. */
  children?: ReactNode;
}

const STEPS: Record<string, string> = {
  search: 'searching',
  holdout: 'confirming on held-out cases',
  promote: 'running the winner in the experiment',
  done: 'done',
};

/** The progress of a tune, and what it is waiting for. */
export function TuneProgress({ tune, live, children }: Props) {
  const { data: job } = useQuery({ ...jobQuery(tune.job_id), refetchInterval: POLL_MS });
  const { done = 0, errored = 0, eta_s: left = null } = job?.progress ?? {};
  const planned = tune.planned_requests;
  const share = planned > 0 ? Math.min(100, Math.floor((done / planned) * 100)) : 0;
  return (
    <section aria-labelledby="progress" className="section">
      <h2 id="progress">Progress</h2>
      <LiveAnnouncement text={`${share} %, ${errored} errored`} />
      <p>
        {count(done)} of {count(planned)} planned requests
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
        {left !== null && `, about ${duration(left * 1000)} left`}
        {`, ${STEPS[tune.step] ?? tune.step.replaceAll('_', ' ')}`}
      </p>
      <Bar done={done} total={planned} label="Requests of the tune" />
      {children}
      <WaitingNotice status={job?.status ?? tune.status} detail={job?.detail ?? null} />
      <ConnectionNotice live={live} />
    </section>
  );
}
