import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { JOB_TYPES } from '#lib/contracts/values/jobs';
import { POLL_MS } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { isUnderWay } from '../../../ui/status';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/notices';
import { FilterChoice } from '../../../ui/filters';
import { Head } from '../../../ui/head';
import { List } from '../../../ui/list';
import { MenuLink } from '../../../ui/menu';
import { Section } from '../../../ui/query-boundary';
import type { Column } from '../../../ui/table';
import { Tabs } from '../../../ui/tabs';
import { ENDED_LABELS, FINISHED, isEnded, jobsQuery, runsOfJobsQuery, type JobFilter } from '../api';
import { jobTitle, runOf } from '../parts/job-link';
import { useCancel } from '../parts/use-cancel';
import { COLUMNS, finishedColumns, shownName } from './job-columns';
import css from './jobs.module.css';

/** How many finished jobs are shown below those that are under way. */
const LAST_FINISHED = 10;

/** The jobs of all users: those under way in the order in which they run, then those that ended. */
export function JobsScreen() {
  const search = useSearch({ from: '/signed-in/jobs' });
  const isFinished = isEnded(search.status);
  return (
    <>
      <Head title="Activity" menu={<MenuLink to="/settings/limits">Limits of jobs</MenuLink>} />
      <Tabs
        label="Jobs"
        items={[
          { to: '/jobs', search: { type: search.type }, label: 'In progress', bySearch: true },
          { to: '/jobs', search: { type: search.type, status: FINISHED }, label: 'Finished', bySearch: true },
        ]}
      />
      <JobFilters search={search} />
      {isFinished ? <Finished search={search} label="List of jobs" /> : <UnderWay search={search} />}
      {search.status === undefined && search.after === undefined && (
        <Section id="finished" title="Finished jobs" rows={8}>
          <Finished search={{ type: search.type, status: FINISHED }} label="Finished jobs" limit={LAST_FINISHED} />
        </Section>
      )}
    </>
  );
}

function UnderWay({ search }: { search: JobFilter }) {
  const refusal = useRefusal('editor');
  const cancel = useCancel();
  const actions: Column<Job> = {
    name: 'Actions',
    isNameHidden: true,
    cell: (job) =>
      isUnderWay(job.status) && (
        <button
          type="button"
          className="dense"
          disabled={refusal !== undefined || cancel.isPending}
          title={refusal}
          aria-label={`Cancel ${shownName(job)}`}
          onClick={() => cancel.mutate(job.id)}
        >
          Cancel
        </button>
      ),
  };
  return (
    <>
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
        words={['First', 'Next']}
        className={css.rows}
        height={4}
        keyOf={({ id }) => id}
        columns={[...COLUMNS, actions]}
        empty={<NoJobs search={search} />}
      />
    </>
  );
}

function Finished({ search, label, limit }: { search: JobFilter; label: string; limit?: number }) {
  const { data: runs } = useQuery(runsOfJobsQuery(search));
  const runOfJob = (job: Job): Run | undefined => runs?.items.find(({ id }) => id === runOf(job));
  return (
    <List
      label={label}
      of="finished jobs"
      query={jobsQuery({ ...search, limit })}
      after={search.after}
      isWhole={limit !== undefined}
      className={css.rows}
      keyOf={({ id }) => id}
      columns={finishedColumns(runOfJob)}
      empty={<Empty>{limit === undefined ? 'No jobs match.' : 'No job has finished yet.'}</Empty>}
    />
  );
}

/** Filters of the job list. They are in the address, so that a shared link shows the same list. */
function JobFilters({ search: { status, type } }: { search: JobFilter }) {
  const navigate = useNavigate();
  const narrow = (change: Partial<JobFilter>): void =>
    void navigate({ to: '/jobs', search: { status, type, ...change } });
  return (
    <div className="actions" role="search" aria-label="Filter of jobs">
      {isEnded(status) && (
        <FilterChoice
          label="Outcome"
          choices={Object.entries(ENDED_LABELS)}
          value={status === FINISHED || status === 'all' ? undefined : status}
          choose={(chosen) => narrow({ status: (chosen ?? FINISHED) as JobFilter['status'] })}
        />
      )}
      <FilterChoice
        label="Type"
        choices={JOB_TYPES.map((one) => [one, jobTitle(one)])}
        none="all types"
        value={type}
        choose={(chosen) => narrow({ type: chosen as JobFilter['type'] })}
      />
    </div>
  );
}

function NoJobs({ search: { status, type, after } }: { search: JobFilter }) {
  const isUnfiltered = status === undefined && type === undefined && after === undefined;
  if (!isUnfiltered) return <Empty>No jobs match.</Empty>;
  return (
    <Empty
      action={
        <Link to="/runs/new" className="button primary">
          New run
        </Link>
      }
    >
      No running or queued jobs.
    </Empty>
  );
}
