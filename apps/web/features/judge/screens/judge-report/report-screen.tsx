import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { useLive, useRefreshOnEvents } from '../../../../live/use-live';
import { Section } from '../../../../ui/query-boundary';
import { isUnderWay } from '../../../../ui/status';
import { UserText } from '../../../../ui/user-text';
import { Notes } from '../../../../ui/notices';
import { JobProgress } from '../../../jobs/parts/job-progress';
import { calibrationQuery, reportQuery } from '../../api';
import { LiveReport } from '../../live';
import { PeopleTable, VerdictTable } from '../../parts/agreement-table';
import { CalibrationSentence } from '../../parts/calibration';
import css from '../../parts/judge.module.css';
import { Judgements } from './judgements';
import { ModelFigures, PairFigures } from './report-figures';
import { ReportHead } from './report-head';

/** A judge's report on one run or two, and how well people's labels confirm the judge. */
export function ReportScreen() {
  const { reportId } = useParams({ from: '/signed-in/judge/reports/$reportId' });
  const { data: report } = useSuspenseQuery({ ...reportQuery(reportId), staleTime: 0 });
  const live = useLive(LiveReport, isUnderWay(report.status) ? report.job_id : undefined);
  useRefreshOnEvents(reportId, live);
  return (
    <>
      <ReportHead report={report} />
      {live && isUnderWay(report.status) && (
        <JobProgress
          work={report}
          live={live}
          label="Judgements of the report"
          unit="judged"
          counts={{ done: report.judged + report.errored, total: report.items, errored: report.errored }}
        />
      )}
      <Section id="figures" title="Figures">
        <CalibrationSentence calibration={report.calibration} report={report.id} />
        {report.baseline_eval_id === null && <Agreements report={report} />}
        {report.baseline_eval_id === null ? <ModelFigures report={report} /> : <PairFigures report={report} />}
      </Section>
      <ReportSummary report={report} />
      <Notes of={report} />
      <Judgements report={report} />
    </>
  );
}

/** The judge against the score, and against the labels of people if there are any. */
function Agreements({ report }: { report: JudgeReport }) {
  const { data } = useQuery(calibrationQuery({ report: report.id }));
  return (
    <div className={css.agreements}>
      <VerdictTable report={report} />
      {data && data.labels > 0 && <PeopleTable table={data.table} />}
    </div>
  );
}

const MAX_SENTENCES = 50;

/** The judge's summary. */
function ReportSummary({ report }: { report: JudgeReport }) {
  const parts = [
    ['Strengths', report.strengths],
    ['Weaknesses', report.weaknesses],
    ['Recommendations', report.recommendations],
  ] as const;
  if (parts.every(([, sentences]) => sentences.length === 0)) return null;
  return (
    <Section id="summary" title="Summary by the judge">
      <div className={css.summary}>
        {parts.map(([name, sentences]) => (
          <div key={name}>
            <h3>{name}</h3>
            {sentences.length === 0 && <p className="muted">None.</p>}
            <ul>
              {sentences.slice(0, MAX_SENTENCES).map((sentence, index) => (
                <li key={index}>
                  <UserText text={sentence} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Section>
  );
}
