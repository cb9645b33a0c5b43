import { Link } from '@tanstack/react-router';
import type { ComparedPair, JudgeReport } from '#lib/judge/contract';
import { Intervals } from '../../figures/intervals';
import { Uncalibrated } from '../../parts/calibration';
import { Given, GivenLine } from '../../parts/given';
import { shareText } from '../../parts/judged-figures';
import { count } from '../../parts/score';
import { Table } from '../../parts/table';

/** Which of two runs the judge prefers, by model pair. */
export function ReportPairs({ report }: { report: JudgeReport }) {
  const { pairs } = report;
  if (report.baseline_eval_id === null) return null;
  if (pairs.length === 0) return <p className="muted">No figures yet. They appear once a pair is judged.</p>;
  return (
    <>
      {pairs.map((pair) => (
        <Pair key={`${pair.a} ${pair.b}`} report={report} pair={pair} />
      ))}
      <p className="muted small">
        The judge sees each pair of replies twice, once in each order. B wins if it is better both times; if the order
        decides, it is a tie.
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

function PairTable({ report: { id, calibration, pairs } }: { report: JudgeReport }) {
  const link = (pair: ComparedPair, n: number, preference: 'win' | 'loss' | 'tie', words: string) =>
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
    <Table
      label="Wins and losses of each pair"
      className="judged-rows"
      rows={pairs}
      keyOf={({ a, b }) => `${a} ${b}`}
      columns={[
        { name: 'Models', isHeading: true, className: 'named', cell: (pair) => <GivenLine text={nameOf(pair)} /> },
        { name: 'Wins of B', isNumber: true, cell: (pair) => link(pair, pair.wins, 'win', 'wins') },
        { name: 'Losses', isNumber: true, cell: (pair) => link(pair, pair.losses, 'loss', 'losses') },
        { name: 'Ties', isNumber: true, cell: (pair) => link(pair, pair.ties, 'tie', 'ties') },
        { name: 'Of these, decided by order', isNumber: true, cell: (pair) => count(pair.position_flips) },
        { name: 'Errored', isNumber: true, cell: (pair) => count(pair.errored) },
        {
          name: 'Preference for B',
          className: 'score',
          cell: ({ preference, preference_ci: ci, wins, losses }) => (
            <>
              <span>{shareText(preference, ci, wins + losses)}</span>
              {preference !== null && <Uncalibrated status={calibration.status} />}
            </>
          ),
        },
      ]}
    />
  );
}
