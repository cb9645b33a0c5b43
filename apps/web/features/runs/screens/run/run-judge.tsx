import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { reportsQuery } from '../../../judge/api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { ReportRows } from '../../../judge/parts/report-rows';

const SHOWN = 5;

/** The newest judge reports on a run. */
export function RunJudge({ run }: { run: Run }) {
  const { data, error, refetch } = useQuery(reportsQuery({ run: run.id, limit: SHOWN }));
  if (error && !data) return <ErrorNotice error={error} retry={() => refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-labelledby="judge" className="section">
      <div className="head">
        <h2 id="judge">Judge reports</h2>
        <div className="actions">
          <Link to="/judge/labels" search={{ eval: run.id }}>
            Label results
          </Link>
          {data.next_cursor !== null && (
            <Link to="/judge" search={{ eval: run.id }}>
              All reports
            </Link>
          )}
        </div>
      </div>
      <ReportRows reports={data.items} />
    </section>
  );
}
