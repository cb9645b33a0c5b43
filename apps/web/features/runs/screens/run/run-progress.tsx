import { useQuery } from '@tanstack/react-query';
import type { Run } from '#lib/contracts/run';
import { POLL_MS } from '../../../../api/refresh';
import { Bar } from '../../../../ui/bar';
import { count } from '../../../../ui/score';
import { Table } from '../../../../ui/table';
import { duration } from '../../../../ui/time';
import { UserLine } from '../../../../ui/user-text';
import { jobQuery } from '../../../jobs/api';
import { LiveAnnouncement, ConnectionNotice, WaitingNotice } from '../../../jobs/parts/under-way';
import type { LiveRunState } from '../../live';
import { LatestResults } from './latest-results';
import css from './run.module.css';

/** The progress of a run, and what it is waiting for. The figures come from the server: the page counts no events. */
export function RunProgress({ run, live }: { run: Run; live: LiveRunState }) {
  const job = useQuery({ ...jobQuery(run.job_id), refetchInterval: POLL_MS });
  // Results are only ever added, so the response with more results is newer.
  const isLiveNewer = (live.progress?.current ?? -1) >= run.counts.settled;
  const targets = isLiveNewer && live.progress!.targets.length > 0 ? live.progress!.targets : run.targets;
  const settled = isLiveNewer ? live.progress!.current : run.counts.settled;
  const total = isLiveNewer ? live.progress!.total : run.counts.total;
  const errored = targets.reduce((sum, target) => sum + target.errored, 0);
  const share = total > 0 ? Math.floor((settled / total) * 100) : 0;
  return (
    <section aria-labelledby="progress" className="section">
      <h2 id="progress">Progress</h2>
      <LiveAnnouncement text={`${share} %, ${errored} errored`} />
      <p>
        {count(settled)} of {count(total)} results
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
        {job.data?.progress.eta_s != null && `, about ${duration(job.data.progress.eta_s * 1000)} left`}
      </p>
      <Bar done={settled} total={total} label="Results of the run" />
      <WaitingNotice status={run.status} detail={job.data?.detail ?? null} />
      <ConnectionNotice live={live} />
      <Table
        label="Progress of each model"
        className={css.progress}
        rows={targets}
        keyOf={({ target }) => target}
        columns={[
          { name: 'Model', isHeading: true, className: 'named', cell: ({ target }) => <UserLine text={target} /> },
          {
            name: 'Progress',
            cell: ({ settled: done, total: all }) => <Bar done={done} total={all} label="Results of the model" />,
          },
          { name: 'Results', isNumber: true, cell: (target) => `${count(target.settled)} / ${count(target.total)}` },
          { name: 'Passed', isNumber: true, cell: ({ passed }) => count(passed) },
          { name: 'Errored', isNumber: true, cell: (target) => target.errored > 0 && count(target.errored) },
        ]}
      />
      <LatestResults runId={run.id} live={live} />
    </section>
  );
}
