import { Link } from '@tanstack/react-router';
import type { JudgedTarget, JudgeReport } from '#lib/judge/contract';
import type { ReportSearch } from '../../address';
import { Intervals } from '../../../../ui/figures/intervals';
import { Uncalibrated } from '../../parts/calibration';
import { UserLine } from '../../../../ui/user-text';
import { kappaText, shareText, decidedCount } from '../../parts/judged-figures';
import { count } from '../../../../ui/score';
import { shareRow } from '../../parts/share-row';
import { Table, type Column } from '../../../../ui/table';

/** Each model's results according to the judge, next to pass and fail. */
export function ReportModels({ report }: { report: JudgeReport }) {
  const { targets } = report;
  if (report.baseline_eval_id !== null) return null;
  if (targets.length === 0) return <p className="muted">No figures yet. They appear once a model is judged.</p>;
  const told = targets.filter(({ share_ok: share }) => share !== null);
  return (
    <>
      {told.length > 0 && (
        <Intervals
          label="Share of correct or acceptable replies by model, with its 95 % interval"
          rows={told.map((judged) =>
            shareRow({
              key: judged.target,
              share: judged.share_ok!,
              ci: judged.share_ok_ci,
              n: decidedCount(judged),
              status: report.calibration.status,
            }),
          )}
        />
      )}
      <p className="muted small">
        Shares leave out results that the judge could not tell, and each case weighs the same. Kappa measures how far
        the judge agrees with pass and fail: 1 is full agreement, 0 is chance level.
      </p>
      <ModelTable report={report} />
    </>
  );
}

const FIGURES: [name: string, n: (judged: JudgedTarget) => number, what: string, search: ReportSearch][] = [
  ['Errored', ({ errored }) => errored, 'errored judgements', { state: 'errored' }],
  ['Correct', ({ counts }) => counts.correct, 'correct', { verdict: 'correct' }],
  ['Acceptable', ({ counts }) => counts.acceptable, 'acceptable', { verdict: 'acceptable' }],
  ['Wrong', ({ counts }) => counts.wrong, 'wrong', { verdict: 'wrong' }],
  ['Cannot tell', ({ counts }) => counts.cannot_tell, 'undecided', { verdict: 'cannot_tell' }],
  ['More lenient', ({ kinder }) => kinder, 'more lenient than the verdict', { agreement: 'kinder' }],
  ['Stricter', ({ stricter }) => stricter, 'stricter than the verdict', { agreement: 'stricter' }],
  [
    'Expectation at fault',
    ({ expectation_at_fault: n }) => n,
    'with the expectation at fault',
    { expectation_at_fault: true },
  ],
  ['Suspicious', ({ suspicious }) => suspicious, 'suspicious', { suspicious: true }],
];

const ModelTable = ({ report: { id, calibration, targets } }: { report: JudgeReport }) => (
  <Table
    label="Judgements of each model"
    className="judged-rows"
    rows={targets}
    keyOf={({ target }) => target}
    columns={[
      { name: 'Model', isHeading: true, className: 'named', cell: ({ target }) => <UserLine text={target} /> },
      {
        name: 'Correct or acceptable',
        className: 'score',
        cell: (judged) => (
          <>
            <span>{shareText(judged.share_ok, judged.share_ok_ci, decidedCount(judged))}</span>
            <Uncalibrated status={calibration.status} />
          </>
        ),
      },
      {
        name: 'Kappa',
        className: 'score',
        cell: ({ kappa, kappa_ci: ci }) => (
          <>
            <span>{kappaText(kappa, ci)}</span>
            {kappa !== null && <Uncalibrated status={calibration.status} />}
          </>
        ),
      },
      { name: 'Judged', isNumber: true, cell: ({ judged }) => count(judged) },
      ...FIGURES.map(([name, n, what, search]): Column<JudgedTarget> => ({
        name,
        isNumber: true,
        cell: (judged) => (
          <JudgementsLink
            id={id}
            n={n(judged)}
            label={`${n(judged)} ${what} of ${judged.target.slice(0, 100)}`}
            search={{ target: judged.target, ...search }}
          />
        ),
      })),
    ]}
  />
);

interface JudgementsLinkProps {
  id: string;
  n: number;
  /** For screen readers: a number alone says too little. */
  label: string;
  search: ReportSearch;
}

/** A count, linked to the judgements behind it. */
export function JudgementsLink({ id, n, label, search }: JudgementsLinkProps) {
  if (n === 0) return '0';
  return (
    <Link
      to="/judge/reports/$reportId"
      params={{ reportId: id }}
      search={search}
      hash="judgements"
      aria-label={label}
      activeOptions={{ exact: true }}
    >
      {count(n)}
    </Link>
  );
}
