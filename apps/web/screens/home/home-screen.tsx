import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runsQuery } from '../../api/runs';
import { Failed } from '../../parts/failed';
import { RunRows } from '../../parts/run-rows';
import { Skeleton } from '../../parts/skeleton';
import '../../parts/facts.css';
import './home.css';
import { Beginnings } from './beginnings';
import { JobsUnderWay } from './jobs-under-way';
import { LanesInTrouble } from './lanes-in-trouble';
import { SuiteFigures } from './suite-figures';

const LAST_RUNS = 10;

/** Overview of running jobs, lanes and latest runs. */
export function HomeScreen() {
  const runs = useQuery(runsQuery({ limit: LAST_RUNS }));
  return (
    <>
      <div className="head">
        <h1>Overview</h1>
        <Link to="/runs/new" className="button primary">
          New run
        </Link>
      </div>
      <LanesInTrouble />
      <JobsUnderWay />
      {runs.isError && <Failed error={runs.error} retry={() => runs.refetch()} />}
      {runs.isPending && <Skeleton rows={LAST_RUNS} />}
      {runs.data?.items.length === 0 && <Beginnings />}
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
