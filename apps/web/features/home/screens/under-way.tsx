import { Link } from '@tanstack/react-router';
import type { Home } from '#lib/contracts/home';
import { useRefusal } from '../../../api/session';
import { count } from '../../../ui/amounts';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { Section } from '../../../ui/query-boundary';
import { Bar, Status } from '../../../ui/status';
import { duration } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { JobLink, jobTitle, placeInWords } from '../../jobs/parts/job-link';
import { useCancel } from '../../jobs/parts/use-cancel';
import css from './home.module.css';

type Job = Home['under_way'][number];

/** One line for each running or waiting job. */
export function UnderWay({ jobs }: { jobs: readonly Job[] }) {
  const refusal = useRefusal('editor');
  const cancel = useCancel();
  return (
    <Section id="under-way" title="Under way" action={<Link to="/jobs">All activity</Link>}>
      {cancel.isError && <ErrorNotice error={cancel.error} />}
      <ul className={css.jobs}>
        {jobs.map((job) => (
          <li key={job.id}>
            <JobLine job={job} />
            <AllowedButton
              className="dense"
              refusal={refusal}
              disabled={cancel.isPending}
              onClick={() => cancel.mutate(job.id)}
            >
              Cancel
            </AllowedButton>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function JobLine({ job }: { job: Job }) {
  const { done, total, errored, eta_s: left } = job.progress;
  const why = job.position === null ? (job.blocked?.text ?? job.detail) : placeInWords(job.position, job.submitted_by);
  return (
    <>
      <Status status={job.status} />
      <span className={css.job}>
        <JobLink job={job}>
          <UserLine text={job.name ?? jobTitle(job.type)} />
        </JobLink>
        {why !== null && (
          <span className="small muted">
            <UserLine text={why} />
          </span>
        )}
      </span>
      <span className={css.progress}>
        <Bar done={done} total={total} label="Progress of the job" />
        <span className="small muted">
          {count(done)} of {count(total)}
          {left !== null && why === null && `, ${duration(left * 1000)} left`}
          {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
        </span>
      </span>
    </>
  );
}
