import { Link } from '@tanstack/react-router';
import type { ComparedPair, JudgedTarget, JudgeReport } from '#lib/judge/contract';
import { Intervals } from '../../../../ui/figures/intervals';
import { count } from '../../../../ui/score';
import { Table, type Column } from '../../../../ui/table';
import { UserLine, UserText } from '../../../../ui/user-text';
import type { ReportSearch } from '../../address';
import { Uncalibrated } from '../../parts/calibration';
import css from '../../parts/judge.module.css';
import { decidedCount, KappaWords, shareRow, shareText, ShareWords } from '../../parts/judged-figures';

interface Props {
  report: JudgeReport;
}

/** Each model's results according to the judge, next to pass and fail. */
export function ModelFigures({ report }: Props) {
  const { targets, calibration } = report;
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
              status: calibration.status,
            }),
          )}
        />
      )}
      <p className="muted small">
        Shares leave out results that the judge could not tell, and each case weighs the same. Kappa measures how far
        the judge agrees with pass and fail: 1 is full agreement, 0 is chance level.
      </p>
      <Table
        label="Judgements of each model"
        className={css.judgedRows}
        rows={targets}
        keyOf={({ target }) => target}
        columns={modelColumns(report)}
      />
    </>
  );
}

/** Which of two runs the judge prefers, by model pair. */
export function PairFigures({ report }: Props) {
  const { pairs } = report;
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

function Pair({ report: { calibration }, pair }: Props & { pair: ComparedPair }) {
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

function PairTable({ report: { id, calibration, pairs } }: Props) {
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
      className={css.judgedRows}
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

interface JudgementsLinkProps {
  id: string;
  n: number;
  /** For screen readers: a number alone says too little. */
  label: string;
  search: ReportSearch;
}

/** A count, linked to the judgements behind it. */
function JudgementsLink({ id, n, label, search }: JudgementsLinkProps) {
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

const modelColumns = ({ id, calibration: { status } }: JudgeReport): Column<JudgedTarget>[] => [
  { name: 'Model', isHeading: true, className: 'named', cell: ({ target }) => <UserLine text={target} /> },
  {
    name: 'Correct or acceptable',
    className: 'score',
    cell: (judged) => (
      <ShareWords share={judged.share_ok} ci={judged.share_ok_ci} n={decidedCount(judged)} status={status} />
    ),
  },
  {
    name: 'Kappa',
    className: 'score',
    cell: ({ kappa, kappa_ci: ci }) => <KappaWords {...{ kappa, ci, status }} />,
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
];
