import { Link } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { Status } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { CalibrationStatus } from './calibration';
import { decidedCountOfAll, KappaWords, ShareWords } from './judged-figures';

/** Judge reports on one run, each with how well people's labels confirm its judge. */
export const ReportRows = ({ reports }: { reports: JudgeReport[] }) => (
  <Table
    label="List of reports"
    className="run-rows"
    rows={reports}
    keyOf={({ id }) => id}
    columns={reportColumns(({ baseline_eval_id: baseline }) =>
      baseline === null ? 'Replies judged' : 'Replies compared',
    )}
  />
);

/** @param titleOf what a report is about */
export const reportColumns = (titleOf: (report: JudgeReport) => string): Column<JudgeReport>[] => [
  {
    name: 'Report',
    className: 'named',
    cell: (report) => (
      <Link to="/judge/reports/$reportId" params={{ reportId: report.id }}>
        <UserLine text={titleOf(report)} />
      </Link>
    ),
  },
  { name: 'Version', isNumber: true, cell: ({ version }) => version },
  { name: 'Judge', className: 'named', cell: ({ judge }) => <UserLine text={judge} /> },
  { name: 'Calibration', cell: ({ calibration }) => <CalibrationStatus status={calibration.status} /> },
  { name: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'Correct or acceptable', className: 'score', cell: (report) => <ShareOk report={report} /> },
  {
    name: 'Kappa against pass/fail',
    className: 'score',
    cell: ({ kappa, kappa_ci: ci, calibration, baseline_eval_id: baseline }) =>
      baseline === null && <KappaWords {...{ kappa, ci }} status={calibration.status} />,
  },
  { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
];

function ShareOk({ report }: { report: JudgeReport }) {
  const { calibration, share_ok: share, share_ok_ci: ci, baseline_eval_id: baseline } = report;
  if (baseline !== null) return <div className="muted">comparison: see the report for wins and losses</div>;
  if (share === null) return <span className="muted">none yet</span>;
  return <ShareWords {...{ share, ci }} n={decidedCountOfAll(report)} status={calibration.status} />;
}
