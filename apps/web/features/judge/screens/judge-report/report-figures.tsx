import { Link } from '@tanstack/react-router';
import type { ComparedPair, JudgedTarget, JudgeReport } from '#lib/judge/contract';
import { Intervals } from '../../../../ui/figures/intervals';
import { count } from '../../../../ui/amounts';
import { LazyDetails } from '../../../../ui/details';
import { Table, type Column } from '../../../../ui/table';
import { UserLine, UserText } from '../../../../ui/user-text';
import type { ReportSearch } from '../../address';
import { Hint, Note } from '../../../../ui/hint';
import { ModelName } from '../../../providers/parts/model-name';
import css from '../../parts/judge.module.css';
import { decidedCount, kappaText, shareRow, shareText } from '../../parts/judged-figures';

interface Props {
  report: JudgeReport;
}

/** Each model's results according to the judge, next to pass and fail. */
export function ModelFigures({ report: { id, targets } }: Props) {
  if (targets.length === 0) return <p className="muted">No figures yet.</p>;
  const drawn = targets.flatMap((judged) => {
    const { target: key, share_ok: share, share_ok_ci: ci } = judged;
    return share === null ? [] : shareRow({ key, share, ci, n: decidedCount(judged) });
  });
  return (
    <>
      {drawn.length > 0 && (
        <Intervals label="Share of correct or acceptable replies by model, with its 95 % interval" rows={drawn} />
      )}
      <LazyDetails className="numbers" summary="The numbers">
        {() => (
          <Table
            label="Judgements of each model"
            className={css.judgedRows}
            rows={targets}
            keyOf={({ target }) => target}
            columns={[
              {
                name: 'Model',
                isHeading: true,
                className: 'named',
                cell: ({ target }) => <ModelName target={target} />,
              },
              {
                name: <Hint term="kappa">Kappa</Hint>,
                className: 'score',
                cell: ({ kappa, kappa_ci: ci }) => kappaText(kappa, ci),
              },
              { name: 'Judged', isNumber: true, cell: ({ judged }) => count(judged) },
              ...MODEL_COUNTS.map(linkedColumn<JudgedTarget>(id, ({ target }) => target)),
            ]}
          />
        )}
      </LazyDetails>
    </>
  );
}

/** Which of two runs the judge prefers, by model pair. */
export function PairFigures({ report: { id, pairs } }: Props) {
  if (pairs.length === 0) return <p className="muted">No figures yet.</p>;
  return (
    <>
      {pairs.map((pair) => (
        <Pair key={`${pair.a} ${pair.b}`} pair={pair} />
      ))}
      <p className="muted small">
        <Note of="How a win is decided">
          The judge sees each pair of replies twice, once in each order. B wins if it is better both times; if the order
          decides, it is a tie.
        </Note>
      </p>
      <Table
        label="Wins and losses of each pair"
        className={css.judgedRows}
        rows={pairs}
        keyOf={({ a, b }) => `${a} ${b}`}
        columns={[
          { name: 'Models', isHeading: true, className: 'named', cell: (pair) => <UserLine text={pairName(pair)} /> },
          ...PAIR_COUNTS.map(linkedColumn<ComparedPair>(id, ({ b }) => b)),
          { name: 'Decided by order', isNumber: true, cell: (pair) => count(pair.position_flips) },
          { name: 'Errored', isNumber: true, cell: (pair) => count(pair.errored) },
          {
            name: 'Preference for B',
            className: 'score',
            cell: ({ preference, preference_ci: ci, wins, losses }) => shareText(preference, ci, wins + losses),
          },
        ]}
      />
    </>
  );
}

const pairName = ({ a, b }: ComparedPair): string => (a === b ? b : `${b} against ${a}`);

function Pair({ pair }: { pair: ComparedPair }) {
  const { preference: share, preference_ci: ci, wins, losses, can_tell: canTell } = pair;
  const isHollow = ci === null || !canTell;
  return (
    <>
      <p className="sentence">
        <UserText text={pair.text} />
      </p>
      {share !== null && (
        <Intervals
          label="Wins of B among wins and losses, with their 95 % interval"
          rows={[shareRow({ key: pairName(pair), share, ci, n: wins + losses, isHollow })]}
        />
      )}
    </>
  );
}

/** A count of judgements, in words for screen readers, and the filter that shows them. */
type Count<Row> = [name: string, n: (row: Row) => number, what: string, search: ReportSearch];

const MODEL_COUNTS: Count<JudgedTarget>[] = [
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
const PAIR_COUNTS: Count<ComparedPair>[] = [
  ['Wins of B', ({ wins }) => wins, 'wins', { preference: 'win' }],
  ['Losses', ({ losses }) => losses, 'losses', { preference: 'loss' }],
  ['Ties', ({ ties }) => ties, 'ties', { preference: 'tie' }],
];

/** A column of counts, each a link to the judgements behind it. */
const linkedColumn =
  <Row,>(reportId: string, targetOf: (row: Row) => string) =>
  ([name, n, what, search]: Count<Row>): Column<Row> => ({
    name,
    isNumber: true,
    cell: (row) =>
      n(row) === 0 ? (
        '0'
      ) : (
        <Link
          to="/judge/reports/$reportId"
          params={{ reportId }}
          search={{ target: targetOf(row), ...search }}
          hash="judgements"
          aria-label={`${n(row)} ${what} of ${targetOf(row).slice(0, 100)}`}
          activeOptions={{ exact: true }}
        >
          {count(n(row))}
        </Link>
      ),
  });
