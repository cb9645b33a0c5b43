import { useSuspenseQuery } from '@tanstack/react-query';
import type { Lane, LaneWaiting } from '#lib/contracts/lane';
import { count } from '../../../ui/amounts';
import { Note } from '../../../ui/hint';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { JobLink, jobTitle } from '../../jobs/parts/job-link';
import { laneWaitingQuery } from '../api';
import css from '../parts/operate.module.css';

/** How many items wait on a lane; it opens whose they are. */
export function WaitingPeople({ lane: { id, backlog }, waiting }: { lane: Lane; waiting: number }) {
  if (backlog === 0) return <span className="muted">nobody</span>;
  return (
    <Note of={itemsOf(waiting)}>
      <QueryBoundary rows={4}>
        <Who laneId={id} />
      </QueryBoundary>
    </Note>
  );
}

const itemsOf = (n: number): string => `${count(n)} ${n === 1 ? 'item' : 'items'}`;
const jobsOf = (n: number): string => `${count(n)} ${n === 1 ? 'job' : 'jobs'}`;

function Who({ laneId }: { laneId: string }) {
  const { data: who } = useSuspenseQuery(laneWaitingQuery(laneId));
  if (who.jobs_count === 0) return 'Nobody waits.';
  return (
    <div className={css.who}>
      <PeopleWaiting who={who} />
      <ol aria-label="Jobs that wait">
        {who.jobs.map((job) => (
          <li key={job.job_id}>
            <JobLink job={job}>
              <UserText text={job.name ?? job.suite_name ?? jobTitle(job.type)} max={80} />
            </JobLink>
            <div className="small muted">
              <UserText text={job.submitted_by ?? 'a removed user'} max={60} />, {itemsOf(job.items)},{' '}
              <Time at={job.since} />
            </div>
          </li>
        ))}
      </ol>
      {who.jobs_count > who.jobs.length && (
        <span className="small muted">and {count(who.jobs_count - who.jobs.length)} more</span>
      )}
    </div>
  );
}

/** The people that wait: "Ada: 2 jobs, 41 items". */
export const PeopleWaiting = ({ who }: { who: LaneWaiting }) => (
  <ul aria-label="People that wait">
    {who.people.map(({ name, jobs, items }, place) => (
      <li key={place}>
        <UserText text={name ?? 'a removed user'} max={60} />: {jobsOf(jobs)}, {itemsOf(items)}
      </li>
    ))}
  </ul>
);
