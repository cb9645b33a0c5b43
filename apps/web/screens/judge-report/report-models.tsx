import { Link } from '@tanstack/react-router';
import type { JudgedTarget, JudgeReport } from '#lib/judge/contract';
import type { ReportSearch } from '../../address/judge';
import { Intervals, type IntervalRow } from '../../figures/intervals';
import { Uncalibrated } from '../../parts/calibration';
import { GivenLine } from '../../parts/given';
import { kappaText, shareText, toldOf } from '../../parts/judged-figures';
import { count } from '../../parts/score';

/** Each model's results according to the judge, next to pass and fail. */
export function ReportModels({ report }: { report: JudgeReport }) {
  const { targets } = report;
  if (report.baseline_eval_id !== null) return null;
  if (targets.length === 0) return <p className="muted">The figures of a model stand here once it is judged.</p>;
  const told = targets.filter(({ share_ok: share }) => share !== null);
  return (
    <>
      {told.length > 0 && (
        <Intervals
          label="Share that the judge finds correct or acceptable, of each model, with its 95 % interval"
          rows={told.map((target) => rowOf(report, target))}
        />
      )}
      <p className="muted small">
        Shares are of what the judge could tell, and each case weighs the same. Kappa is how far the judge agrees with
        pass and fail: 1 is always, 0 as often as chance does.
      </p>
      <ModelTable report={report} />
    </>
  );
}

function rowOf({ calibration }: JudgeReport, judged: JudgedTarget): IntervalRow {
  const { target, share_ok: share, share_ok_ci: ci } = judged;
  return {
    key: target,
    label: <GivenLine text={target} />,
    mean: share!,
    interval: ci ?? [share!, share!],
    isHollow: ci === null,
    text: (
      <span className="score">
        <span>{shareText(share, ci, toldOf(judged))}</span>
        <Uncalibrated status={calibration.status} />
      </span>
    ),
  };
}

function ModelTable({ report }: { report: JudgeReport }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Judgements of each model">
      <table className="judged-rows">
        <thead>
          <tr>
            <th>Model</th>
            <th>Correct or acceptable</th>
            <th>Kappa</th>
            <th className="number">Judged</th>
            <th className="number">Errored</th>
            <th className="number">Correct</th>
            <th className="number">Acceptable</th>
            <th className="number">Wrong</th>
            <th className="number">Cannot tell</th>
            <th className="number">Kinder</th>
            <th className="number">Stricter</th>
            <th className="number">Expectation at fault</th>
            <th className="number">Suspicious</th>
          </tr>
        </thead>
        <tbody>
          {report.targets.map((judged) => (
            <ModelRow key={judged.target} report={report} judged={judged} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ModelRow({ report: { id, calibration }, judged }: { report: JudgeReport; judged: JudgedTarget }) {
  const { target, counts } = judged;
  const link = (n: number, what: string, search: ReportSearch) => (
    <td className="number">
      <Narrowed id={id} n={n} label={`${n} ${what} of ${target.slice(0, 100)}`} search={{ target, ...search }} />
    </td>
  );
  return (
    <tr>
      <th scope="row" className="named">
        <GivenLine text={target} />
      </th>
      <td className="score">
        <span>{shareText(judged.share_ok, judged.share_ok_ci, toldOf(judged))}</span>
        <Uncalibrated status={calibration.status} />
      </td>
      <td className="score">
        <span>{kappaText(judged.kappa, judged.kappa_ci)}</span>
        {judged.kappa !== null && <Uncalibrated status={calibration.status} />}
      </td>
      <td className="number">{count(judged.judged)}</td>
      {link(judged.errored, 'errored judgements', { state: 'errored' })}
      {link(counts.correct, 'correct', { verdict: 'correct' })}
      {link(counts.acceptable, 'acceptable', { verdict: 'acceptable' })}
      {link(counts.wrong, 'wrong', { verdict: 'wrong' })}
      {link(counts.cannot_tell, 'that it cannot tell', { verdict: 'cannot_tell' })}
      {link(judged.kinder, 'kinder than the verdict', { agreement: 'kinder' })}
      {link(judged.stricter, 'stricter than the verdict', { agreement: 'stricter' })}
      {link(judged.expectation_at_fault, 'with the expectation at fault', { expectation_at_fault: true })}
      {link(judged.suspicious, 'suspicious', { suspicious: true })}
    </tr>
  );
}

interface NarrowedProps {
  id: string;
  n: number;
  /** For screen readers: a number alone says too little. */
  label: string;
  search: ReportSearch;
}

/** A count, linked to the judgements behind it. */
function Narrowed({ id, n, label, search }: NarrowedProps) {
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
