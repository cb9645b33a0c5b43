import type { Job } from '#lib/contracts/job';
import { useAction } from '../../../api/action';
import { cancelJob } from '../api';
import { refreshWork } from '../../../api/refresh';
import { useRefusal } from '../../../api/session';
import { Bar } from '../../../ui/bar';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText, UserLine } from '../../../ui/user-text';
import { JobLink, jobTitle } from '../parts/job-link';
import { placeInWords } from '../parts/job-place';
import { count } from '../../../ui/score';
import { isUnderWay, Status } from '../../../ui/status';
import { Table } from '../../../ui/table';
import { duration, Time } from '../../../ui/time';

const SHOWN_OF_ID = 8;

interface Props {
  jobs: Job[];
  /** The display name of a run; undefined if unknown. */
  nameOf: (runId: string) => string | undefined;
}

/** Jobs, the newest first. */
export function JobTable({ jobs, nameOf }: Props) {
  const refusal = useRefusal('editor');
  const cancel = useAction(cancelJob, (job) => refreshWork(job.result_ref ?? undefined));
  return (
    <>
      {cancel.isError && <ErrorNotice error={cancel.error} />}
      <Table
        label="List of jobs"
        className="job-rows"
        rows={jobs}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Job', isHeading: true, cell: (job) => <JobName job={job} name={runNameOf(job, nameOf)} /> },
          {
            name: 'Status',
            className: 'why',
            cell: (job) => (
              <>
                <Status status={job.status} /> <JobReason job={job} />
              </>
            ),
          },
          { name: 'Progress', cell: (job) => <Progress job={job} /> },
          {
            name: 'Submitted by',
            className: 'named',
            cell: ({ submitted_by: by }) => by !== null && <UserLine text={by} max={100} />,
          },
          { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
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
      />
    </>
  );
}

const runNameOf = (
  { type, result_ref: id, subject_ref: subject }: Job,
  nameOf: Props['nameOf'],
): string | undefined => {
  const runId = type === 'tool_eval' ? id : type === 'rescore' ? subject : null;
  return runId === null ? undefined : nameOf(runId);
};

const shortId = (job: Job): string => (job.result_ref ?? job.id).slice(-SHOWN_OF_ID);

const JobName = ({ job, name }: { job: Job; name: string | undefined }) => (
  <>
    <JobLink job={job}>
      {jobTitle(job.type)} <code>{shortId(job)}</code>
    </JobLink>
    {name !== undefined && (
      <div className="small job-name">
        <UserLine text={name} />
      </div>
    )}
  </>
);

/** What it is waiting for, or why it stopped. */
function JobReason({ job: { position, submitted_by: by, detail, error } }: { job: Job }) {
  if (position !== null)
    return (
      <span className="small" title={detail ?? undefined}>
        {<UserText text={placeInWords(position, by)} />}
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
