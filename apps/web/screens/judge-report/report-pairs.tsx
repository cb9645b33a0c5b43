import { Link } from '@tanstack/react-router';
import type { ComparedPair, JudgeReport } from '#lib/judge/contract';
import { Intervals } from '../../figures/intervals';
import { Uncalibrated } from '../../parts/calibration';
import { Given, GivenLine } from '../../parts/given';
import { shareText } from '../../parts/judged-figures';
import { count } from '../../parts/score';

/** Which of two runs the judge prefers, by model pair. */
export function ReportPairs({ report }: { report: JudgeReport }) {
  const { pairs } = report;
  if (report.baseline_eval_id === null) return null;
  if (pairs.length === 0) return <p className="muted">The figures of a pair stand here once it is judged.</p>;
  return (
    <>
      {pairs.map((pair) => (
        <Pair key={`${pair.a} ${pair.b}`} report={report} pair={pair} />
      ))}
      <p className="muted small">
        The judge sees each pair of replies twice, in either order. A win counts where B is better in both; where the
        order decided, it is a tie.
      </p>
      <PairTable report={report} />
    </>
  );
}

const nameOf = ({ a, b }: ComparedPair): string => (a === b ? b : `${b} against ${a}`);

function Pair({ report: { calibration }, pair }: { report: JudgeReport; pair: ComparedPair }) {
  const { preference, preference_ci: ci } = pair;
  return (
    <>
      <p className="sentence">
        <Given text={pair.text} />
        <Uncalibrated status={calibration.status} />
      </p>
      {preference !== null && (
        <Intervals
          label="Wins of B among wins and losses, with their 95 % interval"
          rows={[
            {
              key: nameOf(pair),
              label: <GivenLine text={nameOf(pair)} />,
              mean: preference,
              interval: ci ?? [preference, preference],
              isHollow: ci === null || !pair.can_tell,
              text: (
                <>
                  {shareText(preference, ci, pair.wins + pair.losses)}
                  <Uncalibrated status={calibration.status} />
                </>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

function PairTable({ report }: { report: JudgeReport }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Wins and losses of each pair">
      <table className="judged-rows">
        <thead>
          <tr>
            <th>Models</th>
            <th className="number">Wins of B</th>
            <th className="number">Losses</th>
            <th className="number">Ties</th>
            <th className="number">Of these, decided by order</th>
            <th className="number">Errored</th>
            <th>Preference for B</th>
          </tr>
        </thead>
        <tbody>
          {report.pairs.map((pair) => (
            <PairRow key={`${pair.a} ${pair.b}`} report={report} pair={pair} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PairRow({ report: { id, calibration }, pair }: { report: JudgeReport; pair: ComparedPair }) {
  const link = (n: number, preference: 'win' | 'loss' | 'tie', words: string) =>
    n === 0 ? (
      '0'
    ) : (
      <Link
        to="/judge/reports/$reportId"
        params={{ reportId: id }}
        search={{ target: pair.b, preference }}
        hash="judgements"
        aria-label={`${n} ${words} of ${pair.b.slice(0, 100)}`}
      >
        {count(n)}
      </Link>
    );
  return (
    <tr>
      <th scope="row" className="named">
        <GivenLine text={nameOf(pair)} />
      </th>
      <td className="number">{link(pair.wins, 'win', 'wins')}</td>
      <td className="number">{link(pair.losses, 'loss', 'losses')}</td>
      <td className="number">{link(pair.ties, 'tie', 'ties')}</td>
      <td className="number">{count(pair.position_flips)}</td>
      <td className="number">{count(pair.errored)}</td>
      <td className="score">
        <span>{shareText(pair.preference, pair.preference_ci, pair.wins + pair.losses)}</span>
        {pair.preference !== null && <Uncalibrated status={calibration.status} />}
      </td>
    </tr>
  );
}
