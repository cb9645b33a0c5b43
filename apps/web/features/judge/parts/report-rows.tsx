import { Link } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { Hint } from '../../../ui/hint';
import { Status } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { CalibrationStatus } from './calibration';
import { decidedCountOfAll, kappaText, shareText } from './judged-figures';

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
        <UserLine text={titleOf(report) + (report.version > 1 ? `, version ${report.version}` : '')} />
      </Link>
    ),
  },
  { name: 'Judge', className: 'named', cell: ({ judge }) => <ModelName target={judge} /> },
  {
    name: 'Calibration',
    cell: ({ calibration: { status } }) => (status === 'uncalibrated' ? '–' : <CalibrationStatus status={status} />),
  },
  { name: 'Status', cell: ({ status }) => <Status status={status} /> },
  { name: 'Correct or acceptable', className: 'score', cell: (report) => <ShareOk report={report} /> },
  {
    name: <Hint term="kappa">Kappa</Hint>,
    className: 'score',
    cell: ({ kappa, kappa_ci: ci, baseline_eval_id: baseline }) => baseline === null && kappaText(kappa, ci),
  },
  { name: 'Submitted', cell: ({ created_at: at }) => <Time at={at} /> },
];

function ShareOk({ report }: { report: JudgeReport }) {
  const { share_ok: share, share_ok_ci: ci, baseline_eval_id: baseline } = report;
  if (baseline !== null) return <span className="muted">comparison</span>;
  if (share === null) return <span className="muted">none yet</span>;
  return <>{shareText(share, ci, decidedCountOfAll(report))}</>;
}
