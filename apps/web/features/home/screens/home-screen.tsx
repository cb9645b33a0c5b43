import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import { lanesQuery, systemQuery } from '../../operate/api';
import { stateOfLane } from '../../operate/parts/lane-state';
import { LaneStatus, LaneTrouble } from '../../operate/parts/lane-trouble';
import { RunRows } from '../../runs/parts/run-rows';
import { latestRunsQuery } from '../api';
import { GettingStarted } from './getting-started';
import css from './home.module.css';
import { RunningJobs } from './running-jobs';
import { SuiteFigures } from './suite-figures';

/** Overview of running jobs, lanes and latest runs. */
export function HomeScreen() {
  return (
    <>
      <div className="head">
        <h1>Overview</h1>
        <Link to="/runs/new" className="button primary">
          New run
        </Link>
      </div>
      <LaneProblems />
      <RunningJobs />
      <QueryBoundary rows={10}>
        <LatestRuns />
      </QueryBoundary>
    </>
  );
}

function LatestRuns() {
  const { items: runs } = useSuspenseQuery(latestRunsQuery).data;
  if (runs.length === 0) return <GettingStarted />;
  return (
    <>
      <QueryBoundary rows={5}>
        <SuiteFigures />
      </QueryBoundary>
      <Section id="last-runs" title="Latest runs" action={<Link to="/runs">All runs</Link>}>
        <RunRows runs={runs} />
      </Section>
    </>
  );
}

const REFRESH_MS = 10_000;
const MAX_LANES = 10;

/** Lanes that send nothing, with the reason; renders nothing when all is well. */
function LaneProblems() {
  const { data: lanes } = useQuery({ ...lanesQuery, refetchInterval: REFRESH_MS });
  const { data: system } = useQuery(systemQuery);
  const alive = system?.workers.alive;
  const troubled = (lanes?.items ?? []).filter((lane) => stateOfLane(lane, alive).isTrouble);
  const isDown = system?.redis === 'down';
  if (troubled.length === 0 && !isDown) return null;
  return (
    <Section id="in-trouble" title="Problems" action={<Link to="/operate/lanes">All lanes</Link>}>
      {isDown && <p className="notice">Redis is unreachable. No requests are sent to models until it is back.</p>}
      {troubled.length > 0 && (
        <ul className={css.jobs} aria-label="Lanes with problems">
          {troubled.slice(0, MAX_LANES).map((lane) => (
            <li key={lane.id}>
              <span>
                <LaneStatus lane={lane} alive={alive} /> <UserText text={lane.name} max={100} />{' '}
                {lane.backlog > 0 && <span className="small muted">{count(lane.backlog)} items waiting </span>}
                <LaneTrouble lane={lane} alive={alive} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {troubled.length > MAX_LANES && <p className="muted">{count(troubled.length - MAX_LANES)} more.</p>}
    </Section>
  );
}
