import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { Score } from '../../../../ui/score';
import { Status } from '../../../../ui/status';
import { Table } from '../../../../ui/table';
import { Time } from '../../../../ui/time';
import { UserLine, UserText } from '../../../../ui/user-text';
import { rescoresQuery, type Rescore } from '../../api';
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
        columns={[
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
            cell: ({ rescore, summary, isFirst }) =>
              isFirst && (
                <>
                  <UserText text={optionsInWords(rescore.options)} max={300} />
                  {summary && <Figures run={run} rescore={rescore} />}
                </>
              ),
          },
          {
            name: 'Model',
            className: 'named',
            cell: ({ rescore, summary }) =>
              summary && <Model runId={run.id} rescoreId={rescore.id} model={summary.target} />,
          },
          { name: 'Score', cell: ({ summary }) => summary && <ScoreOf summary={summary} /> },
          { name: 'Before', cell: ({ before }) => before && <ScoreOf summary={before} /> },
          { name: 'Passed', cell: ({ summary }) => summary && <PassedOf summary={summary} /> },
          { name: 'Before', cell: ({ before }) => before && <PassedOf summary={before} /> },
        ]}
      />
      {next !== null && <p className="muted small">These are the newest {items.length}.</p>}
    </section>
  );
}

const Model = ({ runId, rescoreId, model }: { runId: string; rescoreId: string; model: string }) => (
  <>
    <UserLine text={model} />
    <Link
      to="/runs/$runId/results"
      params={{ runId }}
      search={{ rescore: rescoreId, model: [model], passed: false }}
      className="small"
    >
      failures
    </Link>
  </>
);

/** A row for each model; a single row until there are figures. */
const rowsOf = (run: Run, rescore: Rescore) =>
  (rescore.summaries.length > 0 ? rescore.summaries : [undefined]).map((summary, index) => ({
    rescore,
    summary,
    before: run.summaries.find(({ target }) => target === summary?.target),
    isFirst: index === 0,
  }));

/** For all models together. */
const Figures = ({ run, rescore }: { run: Run; rescore: Rescore }) => (
  <div className="small">
    <Link to="/runs/$runId/failures" params={{ runId: run.id }} search={{ rescore: rescore.id }}>
      failure groups
    </Link>
    {' · '}
    <Link to="/runs/$runId/matrix" params={{ runId: run.id }} search={{ rescore: rescore.id }}>
      cases by model
    </Link>
  </div>
);

const PassedOf = ({ summary }: { summary: Run['summaries'][number] }) => (
  <Score mean={summary.pass_rate} ci={summary.pass_rate_ci} scored={summary.scored} errored={0} />
);

const ScoreOf = ({ summary }: { summary: Run['summaries'][number] }) => (
  <Score mean={summary.overall} ci={summary.overall_ci} scored={summary.scored} errored={summary.errored} />
);
