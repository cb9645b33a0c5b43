import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runsQuery } from '../../runs/api/runs';
import { ErrorNotice } from '../../../ui/error-notice';
import { RunRows } from '../../runs/parts/run-rows';
import { Skeleton } from '../../../ui/skeleton';
import './home.css';
import { GettingStarted } from './getting-started';
import { RunningJobs } from './running-jobs';
import { LaneProblems } from './lane-problems';
import { SuiteFigures } from './suite-figures';

const LATEST_RUNS = 10;

/** Overview of running jobs, lanes and latest runs. */
export function HomeScreen() {
  const runs = useQuery(runsQuery({ limit: LATEST_RUNS }));
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
      {runs.isError && <ErrorNotice error={runs.error} retry={() => runs.refetch()} />}
      {runs.isPending && <Skeleton rows={LATEST_RUNS} />}
      {runs.data?.items.length === 0 && <GettingStarted />}
      {runs.data && runs.data.items.length > 0 && <SuiteFigures />}
      {runs.data && runs.data.items.length > 0 && (
        <section aria-labelledby="last-runs" className="section">
          <div className="head">
            <h2 id="last-runs">Latest runs</h2>
            <Link to="/runs">All runs</Link>
          </div>
          <RunRows runs={runs.data.items} />
        </section>
      )}
    </>
  );
}
