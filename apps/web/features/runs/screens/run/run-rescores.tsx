import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { count, Score } from '../../../../ui/amounts';
import { Note } from '../../../../ui/hint';
import { Status } from '../../../../ui/status';
import { Table, type Column } from '../../../../ui/table';
import { Time } from '../../../../ui/time';
import { UserLine, UserText } from '../../../../ui/user-text';
import { rescoresQuery, type Rescore } from '../../api';
import { ResultsLink } from '../../parts/run-link';
import { optionsInWords } from './rescore-value';
import css from './run.module.css';

/** Scores of the stored replies under other settings: the newest rescores. */
export function RunRescores({ run }: { run: Run }) {
  const { items, next_cursor: next } = useSuspenseQuery(rescoresQuery(run.id)).data;
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="rescores" className="section">
      <h2 id="rescores">Rescores</h2>
      <Table
        label="Rescores of the run"
        className={css.rescores}
        rows={items.flatMap((rescore) => rowsOf(run, rescore))}
        keyOf={({ rescore, summary }) => `${rescore.id} ${summary?.target}`}
        columns={COLUMNS}
      />
      {next !== null && <p className="muted small">These are the newest {items.length}.</p>}
    </section>
  );
}

/** A row for each model; a single row until there are figures. */
const rowsOf = (run: Run, rescore: Rescore) =>
  (rescore.summaries.length > 0 ? rescore.summaries : [undefined]).map((summary, index) => ({
    runId: run.id,
    rescore,
    summary,
    before: run.summaries.find(({ target }) => target === summary?.target),
    isFirst: index === 0,
  }));

/** How many cases the version does not judge, and which. */
function LeftOut({ of: { count: cases, results, cases: named } }: { of: NonNullable<Rescore['unmatched']> }) {
  return (
    <div className="small">
      <Note of={`${count(cases)} ${cases === 1 ? 'case' : 'cases'} left out`}>
        This version asks {cases === 1 ? 'it' : 'them'} otherwise or does not have {cases === 1 ? 'it' : 'them'}:{' '}
        {count(results)} {results === 1 ? 'result is' : 'results are'} in no figure.
        <ul>
          {named.map(({ id, name }) => (
            <li key={id}>
              <UserLine text={name ?? 'Unnamed case'} />
            </li>
          ))}
        </ul>
        {cases > named.length && `And ${count(cases - named.length)} more.`}
      </Note>
    </div>
  );
}

const scoreOf = (of: Summary | undefined) =>
  of && <Score mean={of.overall} ci={of.overall_ci} scored={of.scored} errored={of.errored} />;
const passedOf = (of: Summary | undefined) =>
  of && <Score mean={of.pass_rate} ci={of.pass_rate_ci} scored={of.scored} errored={0} />;

const COLUMNS: Column<ReturnType<typeof rowsOf>[number]>[] = [
  {
    name: 'Status',
    cell: ({ rescore: { status, created_at: at }, isFirst }) =>
      isFirst && (
        <>
          <Status status={status} />
          <div className="small">
            <Time at={at} />
          </div>
        </>
      ),
  },
  {
    name: 'Changed',
    className: 'named',
    cell: ({ runId, rescore: { id: rescore, options, unmatched }, summary, isFirst }) =>
      isFirst && (
        <>
          <UserText text={optionsInWords(options)} max={300} />
          {unmatched && unmatched.count > 0 && <LeftOut of={unmatched} />}
          {summary && (
            <div className="small">
              <Link to="/runs/$runId/failures" params={{ runId }} search={{ rescore }}>
                failure groups
              </Link>
              {' · '}
              <Link to="/runs/$runId/matrix" params={{ runId }} search={{ rescore }}>
                cases by model
              </Link>
            </div>
          )}
        </>
      ),
  },
  {
    name: 'Model',
    className: 'named',
    cell: ({ runId, rescore: { id: rescore }, summary }) =>
      summary && (
        <>
          <UserLine text={summary.target} />
          <ResultsLink runId={runId} search={{ rescore, model: [summary.target], passed: false }} className="small">
            failures
          </ResultsLink>
        </>
      ),
  },
  { name: 'Score', cell: ({ summary }) => scoreOf(summary) },
  { name: 'Before', cell: ({ before }) => scoreOf(before) },
  { name: 'Passed', cell: ({ summary }) => passedOf(summary) },
  { name: 'Before', cell: ({ before }) => passedOf(before) },
];
