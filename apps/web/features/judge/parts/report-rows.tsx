import { Link } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { CalibrationStatus, Uncalibrated } from './calibration';
import { UserLine } from '../../../ui/user-text';
import { kappaText, shareText, decidedCountOfAll } from './judged-figures';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/time';
import { Table } from '../../../ui/table';

interface Props {
  reports: JudgeReport[];
  /** The display name of a run; omitted if all reports are on one run. */
  runName?: (id: string) => string;
}

/** Judge reports, each with how well people's labels confirm its judge. */
export function ReportRows({ reports, runName }: Props) {
  return (
    <Table
      label="List of reports"
      className="run-rows"
      rows={reports}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Report',
          className: 'named',
          cell: (report) => (
            <Link to="/judge/reports/$reportId" params={{ reportId: report.id }}>
              <UserLine text={titleOf(report, runName)} />
            </Link>
          ),
        },
        { name: 'Version', isNumber: true, cell: ({ version }) => version },
        { name: 'Judge', className: 'named', cell: ({ judge }) => <UserLine text={judge} /> },
        { name: 'Calibration', cell: ({ calibration }) => <CalibrationStatus status={calibration.status} /> },
        { name: 'Status', cell: ({ status }) => <Status status={status} /> },
        { name: 'Correct or acceptable', className: 'score', cell: (report) => <ShareOk report={report} /> },
        { name: 'Kappa against pass/fail', className: 'score', cell: (report) => <Kappa report={report} /> },
        { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}

/** What it is about. */
function titleOf({ eval_id: run, baseline_eval_id: baseline }: JudgeReport, runName: Props['runName']): string {
  if (!runName) return baseline === null ? 'Replies judged' : 'Replies compared';
  return baseline === null ? runName(run) : `${runName(run)} against ${runName(baseline)}`;
}

function ShareOk({ report }: { report: JudgeReport }) {
  const { calibration, share_ok: share, share_ok_ci: ci, baseline_eval_id: baseline } = report;
  if (baseline !== null) return <div className="muted">comparison: see the report for wins and losses</div>;
  if (share === null) return <span className="muted">none yet</span>;
  return (
    <>
      <span>{shareText(share, ci, decidedCountOfAll(report))}</span>
      <Uncalibrated status={calibration.status} />
    </>
  );
}

function Kappa({ report: { calibration, kappa, kappa_ci: ci, baseline_eval_id: baseline } }: { report: JudgeReport }) {
  if (baseline !== null) return null;
  return (
    <>
      <span>{kappaText(kappa, ci)}</span>
      {kappa !== null && <Uncalibrated status={calibration.status} />}
    </>
  );
}
