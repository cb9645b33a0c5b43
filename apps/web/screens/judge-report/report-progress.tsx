import { useQuery } from '@tanstack/react-query';
import type { JudgeReport } from '#lib/judge/contract';
import { jobQuery, POLL_MS } from '../../api/jobs';
import type { LiveReportState } from '../../live/live-report';
import { Bar } from '../../parts/bar';
import { count } from '../../parts/score';
import { duration } from '../../parts/time';
import { Announced, Connection, Waiting } from '../../parts/under-way';

/** The progress of a report, and what it is waiting for. */
export function ReportProgress({ report, live }: { report: JudgeReport; live: LiveReportState }) {
  const { data: job } = useQuery({ ...jobQuery(report.job_id), refetchInterval: POLL_MS });
  const { items, judged, errored } = report;
  const settled = judged + errored;
  const share = items > 0 ? Math.floor((settled / items) * 100) : 0;
  const left = job?.progress.eta_s ?? null;
  return (
    <section aria-labelledby="progress" className="section">
      <h2 id="progress">Progress</h2>
      <Announced text={`${share} % judged, ${errored} errored`} />
      <p>
        {count(settled)} of {count(items)} judged
        {errored > 0 && <span className="errored-count">, {count(errored)} errored</span>}
        {left !== null && `, about ${duration(left * 1000)} left`}
      </p>
      <Bar done={settled} total={items} label="Judgements of the report" />
      <Waiting status={job?.status ?? report.status} detail={job?.detail ?? null} />
      <Connection live={live} />
    </section>
  );
}
