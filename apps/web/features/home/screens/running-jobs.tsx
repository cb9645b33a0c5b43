import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../api/action';
import { refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Bar, Status } from '../../../ui/status';
import { ErrorNotice } from '../../../ui/notices';
import { count, money } from '../../../ui/amounts';
import { Section } from '../../../ui/query-boundary';
import { duration } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { cancelJob, jobsUnderWayQuery } from '../../jobs/api';
import { JobLink, jobTitle, placeInWords } from '../../jobs/parts/job-link';
import { unfinishedRunsQuery } from '../api';
import css from './home.module.css';

/** Running and waiting jobs: progress, remaining time and expected cost. */
export function RunningJobs() {
  const jobs = useQuery(jobsUnderWayQuery);
  const isBusy = (jobs.data?.length ?? 0) > 0;
  const runs = useQuery({ ...unfinishedRunsQuery, enabled: isBusy });
  const refusal = useRefusal('editor');
  const cancel = useAction(cancelJob, (job) => refreshWork(job.result_ref ?? undefined));
  if (jobs.isError && !jobs.data) return <ErrorNotice error={jobs.error} retry={() => jobs.refetch()} />;
  if (!isBusy) return null;
  return (
    <Section id="under-way" title="In progress" action={<Link to="/jobs">All jobs</Link>}>
      {cancel.isError && <ErrorNotice error={cancel.error} />}
      <ul className={css.jobs}>
        {jobs.data!.map((job) => (
          <li key={job.id}>
            <JobCard job={job} run={runs.data?.items.find(({ id }) => id === job.result_ref)} />
            <button
              type="button"
              disabled={refusal !== undefined || cancel.isPending}
              title={refusal}
              onClick={() => cancel.mutate(job.id)}
            >
              Cancel
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function JobCard({ job, run }: { job: Job; run: Run | undefined }) {
  const { done, total, errored, eta_s: left } = job.progress;
  const name = run ? (run.name ?? run.suite.name) : jobTitle(job.type);
  const cost = run?.estimate?.cost_usd;
  const why = job.position === null ? job.detail : placeInWords(job.position, job.submitted_by);
  return (
    <div className={css.job}>
      <div className="actions">
        <Status status={job.status} />
        <JobLink job={job}>
          <UserText text={name} max={100} />
        </JobLink>
      </div>
      <Bar done={done} total={total} label="Progress of the job" />
      <span className="small muted">
        {count(done)} of {count(total)}
        {left !== null && `, about ${duration(left * 1000)} left`}
        {cost != null && `, estimated at ${money(cost)}`}
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
      </span>
      {why !== null && (
        <span className="small">
          <UserText text={why} max={300} />
        </span>
      )}
    </div>
  );
}
