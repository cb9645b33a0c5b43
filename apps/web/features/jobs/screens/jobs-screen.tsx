import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { JOB_TYPES } from '#lib/contracts/values/jobs';
import { useAction } from '../../../api/action';
import { POLL_MS, refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Bar, isUnderWay, Status } from '../../../ui/status';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/notices';
import { FilterChoice } from '../../../ui/filters';
import { List } from '../../../ui/list';
import { count } from '../../../ui/amounts';
import type { Column } from '../../../ui/table';
import { duration, Time } from '../../../ui/time';
import { UserLine, UserText } from '../../../ui/user-text';
import { runName } from '../../runs/parts/run-link';
import { cancelJob, JOB_STATUS_LABELS, jobsQuery, runsOfJobsQuery, type JobFilter } from '../api';
import { JobLink, jobTitle, placeInWords, runOf } from '../parts/job-link';
import css from './jobs.module.css';

/** Waiting and running jobs of all users. */
export function JobsScreen() {
  const search = useSearch({ from: '/signed-in/jobs' });
  const navigate = useNavigate();
  const narrow = (change: Partial<JobFilter>): void =>
    void navigate({ to: '/jobs', search: { ...search, after: undefined, ...change } });
  const { data: runs } = useQuery(runsOfJobsQuery(search));
  const refusal = useRefusal('editor');
  const cancel = useAction(cancelJob, (job) => refreshWork(job.result_ref ?? undefined));
  return (
    <>
      <div className="head">
        <h1>Jobs</h1>
        <Link to="/settings/jobs">Limits of jobs</Link>
      </div>
      <JobFilters search={search} narrow={narrow} />
      {cancel.isError && <ErrorNotice error={cancel.error} />}
      <List
        label="List of jobs"
        of="jobs"
        // Team events announce when jobs begin and end, but not their progress.
        query={{
          ...jobsQuery(search),
          refetchInterval: ({ state }) => (state.data?.items.some((job) => isUnderWay(job.status)) ? POLL_MS : false),
        }}
        after={search.after}
        className={css.rows}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Job',
            isHeading: true,
            cell: (job) => <JobName job={job} run={runs?.items.find(({ id }) => id === runOf(job))} />,
          },
          ...COLUMNS,
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (job) =>
              isUnderWay(job.status) && (
                <button
                  type="button"
                  className="dense"
                  disabled={refusal !== undefined || cancel.isPending}
                  title={refusal}
                  aria-label={`Cancel ${jobTitle(job.type)} ${shortId(job)}`}
                  onClick={() => cancel.mutate(job.id)}
                >
                  Cancel
                </button>
              ),
          },
        ]}
        empty={<NoJobs search={search} />}
      />
    </>
  );
}

interface FilterProps {
  search: JobFilter;
  narrow: (change: Partial<JobFilter>) => void;
}

/** Filters of the job list. They are in the address, so that a shared link shows the same list. */
const JobFilters = ({ search: { status, type }, narrow }: FilterProps) => (
  <div className="actions" role="search" aria-label="Filter of jobs">
    <FilterChoice
      label="Status"
      choices={Object.entries(JOB_STATUS_LABELS)}
      none="running or queued"
      value={status}
      choose={(chosen) => narrow({ status: chosen as JobFilter['status'] })}
    />
    <FilterChoice
      label="Type"
      choices={JOB_TYPES.map((type) => [type, jobTitle(type)])}
      none="all types"
      value={type}
      choose={(chosen) => narrow({ type: chosen as JobFilter['type'] })}
    />
  </div>
);

function NoJobs({ search: { status, type, after } }: { search: JobFilter }) {
  const isUnfiltered = status === undefined && type === undefined && after === undefined;
  return (
    <Empty
      action={
        <>
          {isUnfiltered && (
            <Link to="/runs/new" className="button primary">
              New run
            </Link>
          )}
          <Link to="/jobs" search={{ status: 'all' }} className="button">
            All jobs
          </Link>
        </>
      }
    >
      {isUnfiltered
        ? 'No running or queued jobs. Runs, tunes, gate runs and reports appear here while they are in progress.'
        : 'No jobs match.'}
    </Empty>
  );
}

const SHOWN_OF_ID = 8;
const shortId = (job: Job): string => (job.result_ref ?? job.id).slice(-SHOWN_OF_ID);

const JobName = ({ job, run }: { job: Job; run: Run | undefined }) => (
  <>
    <JobLink job={job}>
      {jobTitle(job.type)} <code>{shortId(job)}</code>
    </JobLink>
    {run && (
      <div className={`small ${css.name}`}>
        <UserLine text={runName(run)} />
      </div>
    )}
  </>
);

/** What it is waiting for, or why it stopped. */
function JobReason({ job: { position, submitted_by: by, detail, error } }: { job: Job }) {
  if (position !== null)
    return (
      <span className="small" title={detail ?? undefined}>
        <UserText text={placeInWords(position, by)} />
      </span>
    );
  const text = error ?? detail;
  return (
    text !== null && (
      <span className="small">
        <UserText text={text} max={300} />
      </span>
    )
  );
}

function Progress({ job: { progress } }: { job: Job }) {
  const { done, total, errored, eta_s: left } = progress;
  return (
    <>
      <Bar done={done} total={total} label="Progress of the job" />
      <span className="small muted">
        {count(done)} of {count(total)}
        {left !== null && `, about ${duration(left * 1000)} left`}
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
      </span>
    </>
  );
}

const COLUMNS: Column<Job>[] = [
  {
    name: 'Status',
    className: css.reason,
    cell: (job) => (
      <>
        <Status status={job.status} /> <JobReason job={job} />
      </>
    ),
  },
  { name: 'Progress', cell: (job) => <Progress job={job} /> },
  {
    name: 'Submitted by',
    className: css.user,
    cell: ({ submitted_by: by }) => by !== null && <UserLine text={by} max={100} />,
  },
  { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
];
