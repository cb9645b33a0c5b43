import { Link } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { CalibrationStatus, Uncalibrated } from './calibration';
import { GivenLine } from './given';
import { kappaText, shareText, toldOfAll } from './judged-figures';
import { Status } from './status';
import { Time } from './time';
import './runs.css';

interface Props {
  reports: JudgeReport[];
  /** The display name of a run; omitted if all reports are on one run. */
  runName?: (id: string) => string;
}

/** Judge reports, each with how well people's labels confirm its judge. */
export function ReportRows({ reports, runName }: Props) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of reports">
      <table className="run-rows">
        <thead>
          <tr>
            <th>Report</th>
            <th className="number">Version</th>
            <th>Judge</th>
            <th>Calibration</th>
            <th>Status</th>
            <th>Correct or acceptable</th>
            <th>Kappa with pass and fail</th>
            <th>Submitted</th>
          </tr>
        </thead>
        <tbody>
          {reports.map((report) => (
            <ReportRow key={report.id} report={report} runName={runName} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What it is about. */
function titleOf({ eval_id: run, baseline_eval_id: baseline }: JudgeReport, runName: Props['runName']): string {
  if (!runName) return baseline === null ? 'Replies judged' : 'Replies compared';
  return baseline === null ? runName(run) : `${runName(run)} against ${runName(baseline)}`;
}

function ReportRow({ report, runName }: { report: JudgeReport } & Pick<Props, 'runName'>) {
  const { calibration, share_ok: share, share_ok_ci: ci, kappa, kappa_ci: kappaCi } = report;
  return (
    <tr>
      <td className="named">
        <Link to="/judge/reports/$reportId" params={{ reportId: report.id }}>
          <GivenLine text={titleOf(report, runName)} />
        </Link>
      </td>
      <td className="number">{report.version}</td>
      <td className="named">
        <GivenLine text={report.judge} />
      </td>
      <td>
        <CalibrationStatus status={calibration.status} />
      </td>
      <td>
        <Status status={report.status} />
      </td>
      {report.baseline_eval_id === null ? (
        <>
          <td className="score">
            {share === null ? (
              <span className="muted">none yet</span>
            ) : (
              <>
                <span>{shareText(share, ci, toldOfAll(report))}</span>
                <Uncalibrated status={calibration.status} />
              </>
            )}
          </td>
          <td className="score">
            <span>{kappaText(kappa, kappaCi)}</span>
            {kappa !== null && <Uncalibrated status={calibration.status} />}
          </td>
        </>
      ) : (
        <td colSpan={2} className="muted">
          a comparison: the report has its wins and losses
        </td>
      )}
      <td>
        <Time at={report.created_at} />
      </td>
    </tr>
  );
}
