import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { JOB_TYPES } from '#lib/contracts/values/jobs';
import { JOB_STATUS_LABELS, STATUSES_OF, type JobsSearch } from '../../operate/address';
import { jobsQuery } from '../api';
import { POLL_MS } from '../../../api/refresh';
import { runsQuery } from '../../runs/api/runs';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { FilterChoice } from '../../../ui/filter-choice';
import { jobTitle } from '../parts/job-link';
import { runName } from '../../runs/parts/run-link';
import { Skeleton } from '../../../ui/skeleton';
import { isUnderWay } from '../../../ui/status';
import { PageLinks } from '../../../ui/page-links';
import './jobs.css';
import { JobTable } from './job-rows';

/** How many runs have their names fetched; older ones are shown by the end of their id. */
const NAMED_RUNS = 200;

/** Waiting and running jobs of all users. */
export function JobsScreen() {
  const search = useSearch({ from: '/signed-in/jobs' });
  const navigate = useNavigate();
  const { status, type, after } = search;
  const statuses = STATUSES_OF[status ?? 'unfinished'];
  const jobs = useQuery({
    ...jobsQuery({ statuses, type, cursor: after }),
    // Team events announce when jobs begin and end, but not their progress.
    refetchInterval: ({ state }) => (state.data?.items.some((job) => isUnderWay(job.status)) ? POLL_MS : false),
  });
  const { items = [], next_cursor: next = null } = jobs.data ?? {};
  const runs = useQuery({ ...runsQuery({ statuses, limit: NAMED_RUNS }), enabled: items.length > 0 });
  const nameOf = (runId: string): string | undefined => {
    const run = runs.data?.items.find(({ id }) => id === runId);
    return run && runName(run);
  };
  const narrow = (change: Partial<JobsSearch>): void =>
    void navigate({ to: '/jobs', search: { ...search, after: undefined, ...change } });
  return (
    <>
      <div className="head">
        <h1>Jobs</h1>
        <Link to="/settings/jobs">Limits of jobs</Link>
      </div>
      <JobFilters search={search} narrow={narrow} />
      {jobs.isError && <ErrorNotice error={jobs.error} retry={() => jobs.refetch()} />}
      {jobs.isPending && <Skeleton rows={8} />}
      {items.length > 0 && <JobTable jobs={items} nameOf={nameOf} />}
      {jobs.data && items.length === 0 && <NoJobs search={search} />}
      <PageLinks of="jobs" after={after} next={next} />
    </>
  );
}

interface FilterProps {
  search: JobsSearch;
  narrow: (change: Partial<JobsSearch>) => void;
}

/** Filters of the job list. They are in the address, so that a shared link shows the same list. */
const JobFilters = ({ search: { status, type }, narrow }: FilterProps) => (
  <div className="actions" role="search" aria-label="Filter of jobs">
    <FilterChoice
      label="Status"
      choices={Object.entries(JOB_STATUS_LABELS)}
      none="running or queued"
      value={status}
      choose={(chosen) => narrow({ status: chosen as JobsSearch['status'] })}
    />
    <FilterChoice
      label="Type"
      choices={JOB_TYPES.map((type) => [type, jobTitle(type)])}
      none="all types"
      value={type}
      choose={(chosen) => narrow({ type: chosen as JobsSearch['type'] })}
    />
  </div>
);

function NoJobs({ search: { status, type, after } }: { search: JobsSearch }) {
  if (status === undefined && type === undefined && after === undefined)
    return (
      <Empty
        action={
          <>
            <Link to="/runs/new" className="button primary">
              New run
            </Link>
            <Link to="/jobs" search={{ status: 'all' }} className="button">
              All jobs
            </Link>
          </>
        }
      >
        No running or queued jobs. Runs, tunes, gate runs and reports appear here while they are in progress.
      </Empty>
    );
  return (
    <Empty
      action={
        <Link to="/jobs" search={{ status: 'all' }} className="button">
          All jobs
        </Link>
      }
    >
      No jobs match.
    </Empty>
  );
}
