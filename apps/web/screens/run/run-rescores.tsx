import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { rescoresQuery, type Rescore } from '../../api/rescores';
import { Failed } from '../../parts/failed';
import { Given, GivenLine } from '../../parts/given';
import { Score } from '../../parts/score';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';
import { optionsInWords } from './rescore-value';

/** Scores of the stored replies under other settings: the newest rescores. */
export function RunRescores({ run }: { run: Run }) {
  const { data, error, refetch } = useQuery(rescoresQuery(run.id));
  if (error && !data) return <Failed error={error} retry={() => refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-labelledby="rescores" className="section">
      <h2 id="rescores">Scored again</h2>
      <div className="wide" tabIndex={0} role="region" aria-label="Rescores of the run">
        <table className="rescore-rows">
          <thead>
            <tr>
              <th>Status</th>
              <th>Changed</th>
              <th>Model</th>
              <th>Score</th>
              <th>Before</th>
              <th>Passed</th>
              <th>Before</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((rescore) => (
              <Rows key={rescore.id} run={run} rescore={rescore} />
            ))}
          </tbody>
        </table>
      </div>
      {data.next_cursor !== null && <p className="muted small">These are the newest {data.items.length}.</p>}
    </section>
  );
}

/** A row for each model; a single row until there are figures. */
function Rows({ run, rescore }: { run: Run; rescore: Rescore }) {
  const summaries = rescore.summaries.length > 0 ? rescore.summaries : [undefined];
  return summaries.map((summary, index) => {
    const before = run.summaries.find(({ target }) => target === summary?.target);
    return (
      <tr key={summary?.target ?? ''}>
        <td>
          {index === 0 && (
            <>
              <Status status={rescore.status} />
              <div className="small">
                <Time at={rescore.created_at} />
              </div>
            </>
          )}
        </td>
        <td className="named">
          {index === 0 && (
            <>
              <Given text={optionsInWords(rescore.options)} max={300} />
              {summary && <Figures run={run} rescore={rescore} />}
            </>
          )}
        </td>
        <td className="named">
          {summary && (
            <>
              <GivenLine text={summary.target} />
              <Link
                to="/runs/$runId/results"
                params={{ runId: run.id }}
                search={{ rescore: rescore.id, model: [summary.target], passed: false }}
                className="small"
              >
                what does not pass
              </Link>
            </>
          )}
        </td>
        <td>{summary && <ScoreOf summary={summary} />}</td>
        <td>{before && <ScoreOf summary={before} />}</td>
        <td>{summary && <PassedOf summary={summary} />}</td>
        <td>{before && <PassedOf summary={before} />}</td>
      </tr>
    );
  });
}

/** For all models together. */
const Figures = ({ run, rescore }: { run: Run; rescore: Rescore }) => (
  <div className="small">
    <Link to="/runs/$runId/failures" params={{ runId: run.id }} search={{ rescore: rescore.id }}>
      groups of failures
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
