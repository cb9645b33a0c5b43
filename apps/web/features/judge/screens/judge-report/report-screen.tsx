import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { memo } from 'react';
import { statusOf } from '../../../../api/client';
import { reportQuery } from '../../api/judge';
import { LiveReport } from '../../live';
import { useLive } from '../../../../live/use-live';
import { useRefreshOnEvents } from '../../../../live/use-refreshed';
import { CalibrationSentence } from '../../parts/calibration';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { isUnderWay } from '../../../../ui/status';
import { Warnings } from '../../../../ui/warnings';
import { Judgements } from './judgements';
import { ReportHead } from './report-head';
import { ReportModels } from './report-models';
import { ReportPairs } from './report-pairs';
import { ReportSummary } from './report-summary';
import { JobProgress } from '../../../jobs/parts/job-progress';
import './judge-report.css';

const Head = memo(ReportHead);

/** A judge's report on one run or two, and how well people's labels confirm the judge. */
export function ReportScreen() {
  const { reportId } = useParams({ from: '/signed-in/judge/reports/$reportId' });
  const report = useQuery({ ...reportQuery(reportId), refetchOnMount: 'always' });
  const jobId = report.data && isUnderWay(report.data.status) ? report.data.job_id : undefined;
  const live = useLive(LiveReport, jobId);
  useRefreshOnEvents(reportId, live);
  if (report.isPending) return <Skeleton rows={12} />;
  if (!report.data && statusOf(report.error) === 404) return <NoReport />;
  if (!report.data) return <ErrorNotice error={report.error!} retry={() => report.refetch()} />;
  const { data } = report;
  return (
    <>
      <Head report={data} />
      {live && isUnderWay(data.status) && (
        <JobProgress
          work={data}
          live={live}
          label="Judgements of the report"
          unit="judged"
          counts={{ done: data.judged + data.errored, total: data.items, errored: data.errored }}
        />
      )}
      <section aria-labelledby="figures" className="section">
        <h2 id="figures">Figures</h2>
        <CalibrationSentence calibration={data.calibration} report={data.id} />
        <ReportModels report={data} />
        <ReportPairs report={data} />
      </section>
      <ReportSummary report={data} />
      <Warnings warnings={data.notes} />
      <Judgements report={data} />
    </>
  );
}

const NoReport = () => (
  <Empty
    action={
      <Link to="/judge" className="button">
        All reports
      </Link>
    }
  >
    There is no such report in your team. It may have been deleted.
  </Empty>
);
