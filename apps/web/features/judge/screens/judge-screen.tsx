import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { reportsQuery } from '../api/judge';
import { runsQuery } from '../../runs/api/runs';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { ReportRows } from '../parts/report-rows';
import { RunLink, runName, shortRunName } from '../../runs/parts/run-link';
import { Skeleton } from '../../../ui/skeleton';
import { PageLinks } from '../../../ui/page-links';
import { DefaultJudge } from './default-judge';

/** How many runs have their names fetched; older ones are shown by the end of their id. */
const NAMED_RUNS = 200;

/** Judge reports, and how well people's labels confirm the judges. */
export function JudgeScreen() {
  const { eval: run, after } = useSearch({ from: '/signed-in/judge' });
  return (
    <>
      <div className="head">
        <h1>Judge</h1>
        <div className="actions">
          <Link to="/judge/labels" search={{ eval: run }} className="button">
            Label results
          </Link>
          <NewReport run={run} />
        </div>
      </div>
      <p>
        A judge is a model that decides whether stored results serve the user. Its judgements change no score, and
        labels by people show how far it can be trusted.
      </p>
      {run === undefined && <DefaultJudge />}
      <Reports run={run} after={after} />
    </>
  );
}

const NewReport = ({ run }: { run: string | undefined }) => (
  <Link to="/judge/new" search={{ eval: run }} className="button primary">
    New report
  </Link>
);

function Reports({ run, after }: { run: string | undefined; after: string | undefined }) {
  const reports = useQuery(reportsQuery({ run, cursor: after }));
  const { items = [], next_cursor: next = null } = reports.data ?? {};
  const runs = useQuery({ ...runsQuery({ limit: NAMED_RUNS }), enabled: items.length > 0 });
  const nameOf = (id: string): string => {
    const found = runs.data?.items.find((one) => one.id === id);
    return found ? runName(found) : shortRunName(id);
  };
  return (
    <section aria-labelledby="reports" className="section">
      <h2 id="reports">Reports</h2>
      {run !== undefined && (
        <div className="actions">
          <span>
            On <RunLink runId={run} />
          </span>
          <Link to="/judge" className="button dense">
            All reports
          </Link>
        </div>
      )}
      {reports.isError && <ErrorNotice error={reports.error} retry={() => reports.refetch()} />}
      {reports.isPending && <Skeleton rows={8} />}
      {items.length > 0 && <ReportRows reports={items} runName={nameOf} />}
      {reports.data && items.length === 0 && (
        <Empty action={<NewReport run={run} />}>
          No reports yet. A report holds the judgements of a model on the results of one or two runs.
        </Empty>
      )}
      <PageLinks of="reports" after={after} next={next} />
    </section>
  );
}
