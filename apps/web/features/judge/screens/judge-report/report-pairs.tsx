import type { ComparedPair, JudgeReport } from '#lib/judge/contract';
import { Intervals } from '../../../../ui/figures/intervals';
import { Uncalibrated } from '../../parts/calibration';
import { UserText, UserLine } from '../../../../ui/user-text';
import { shareText } from '../../parts/judged-figures';
import { count } from '../../../../ui/score';
import { shareRow } from '../../parts/share-row';
import { Table } from '../../../../ui/table';
import { JudgementsLink } from './report-models';

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

const pairName = ({ a, b }: ComparedPair): string => (a === b ? b : `${b} against ${a}`);

function Pair({ report: { calibration }, pair }: { report: JudgeReport; pair: ComparedPair }) {
  const { preference, preference_ci: ci } = pair;
  return (
    <>
      <p className="sentence">
        <UserText text={pair.text} />
        <Uncalibrated status={calibration.status} />
      </p>
      {preference !== null && (
        <Intervals
          label="Wins of B among wins and losses, with their 95 % interval"
          rows={[
            shareRow({
              key: pairName(pair),
              share: preference,
              ci,
              n: pair.wins + pair.losses,
              status: calibration.status,
              isHollow: ci === null || !pair.can_tell,
            }),
          ]}
        />
      )}
    </>
  );
}

function PairTable({ report: { id, calibration, pairs } }: { report: JudgeReport }) {
  const link = (pair: ComparedPair, n: number, preference: 'win' | 'loss' | 'tie', words: string) => (
    <JudgementsLink
      id={id}
      n={n}
      label={`${n} ${words} of ${pair.b.slice(0, 100)}`}
      search={{ target: pair.b, preference }}
    />
  );
  return (
    <Table
      label="Wins and losses of each pair"
      className="judged-rows"
      rows={pairs}
      keyOf={({ a, b }) => `${a} ${b}`}
      columns={[
        { name: 'Models', isHeading: true, className: 'named', cell: (pair) => <UserLine text={pairName(pair)} /> },
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
