import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { count } from '../../../ui/amounts';
import { Bar, Status } from '../../../ui/status';
import type { Column } from '../../../ui/table';
import { duration, Time } from '../../../ui/time';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { Against } from '../../runs/parts/against';
import { JobLink, jobTitle, placeInWords } from '../parts/job-link';
import css from './jobs.module.css';

const SHOWN_OF_ID = 8;
const shortId = (job: Job): string => (job.result_ref ?? job.id).slice(-SHOWN_OF_ID);

/** What people know a job by: the name of its run or gate, else its suite. */
export const shownName = (job: Job): string =>
  visible((job.name ?? job.suite_name ?? jobTitle(job.type)).slice(0, 100));

const JobName = ({ job }: { job: Job }) => (
  <div className={css.name}>
    <JobLink job={job}>
      <UserLine text={shownName(job)} />
    </JobLink>
    <span className="small muted">
      {jobTitle(job.type)} <code>{shortId(job)}</code>
      {job.name !== null && job.suite_name !== null && (
        <>
          {' · '}
          <UserText text={job.suite_name} max={60} />
        </>
      )}
    </span>
  </div>
);

/** What it is waiting for, or why it stopped. */
function JobReason({ job: { position, submitted_by: by, detail, error, blocked } }: { job: Job }) {
  if (position !== null)
    return (
      <span className="small">
        <UserText text={placeInWords(position, by)} />
      </span>
    );
  // The provider's own words say more than that it does not answer.
  const text = error ?? (blocked?.reason === 'provider' ? detail : (blocked?.text ?? detail));
  return (
    text !== null && (
      <span className="small" title={detail ?? undefined}>
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

const NAME: Column<Job> = { name: 'Job', isHeading: true, cell: (job) => <JobName job={job} /> };
const STATUS: Column<Job> = {
  name: 'Status',
  className: css.reason,
  cell: (job) => (
    <>
      <Status status={job.status} /> <JobReason job={job} />
    </>
  ),
};
const BY: Column<Job> = {
  name: 'By',
  className: css.user,
  cell: ({ submitted_by: by }) => by !== null && <UserLine text={by} max={100} />,
};

/** The columns of jobs under way. */
export const COLUMNS: readonly Column<Job>[] = [
  NAME,
  STATUS,
  { name: 'Progress', cell: (job) => <Progress job={job} /> },
  BY,
  { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
];

/** The columns of jobs that ended. @param runOf the run that a job made, if it is known */
export const finishedColumns = (runOf: (job: Job) => Run | undefined): Column<Job>[] => [
  NAME,
  STATUS,
  {
    name: 'Results',
    isNumber: true,
    cell: ({ progress: { done, total, errored } }) => (
      <>
        {done === total ? count(total) : `${count(done)} of ${count(total)}`}
        {errored > 0 && <div className="errored-count small">{count(errored)} errored</div>}
      </>
    ),
  },
  {
    name: 'Change',
    cell: (job) => {
      const run = runOf(job);
      return run && <Against of={run} />;
    },
  },
  BY,
  { name: 'Finished', cell: ({ finished_at: at }) => at !== null && <Time at={at} /> },
];
