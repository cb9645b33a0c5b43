import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { type IntervalRow, Intervals } from '../../../ui/figures/intervals';
import { count, Money, Score } from '../../../ui/amounts';
import { Section } from '../../../ui/query-boundary';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { runName } from '../../runs/parts/run-link';
import { shownInterval } from '../../runs/parts/run-score';
import { finishedRunsQuery } from '../api';
import css from './home.module.css';
import { newestRunPerSuite } from './newest-runs';

const MAX_SUITES = 5;
/** How many models of a run are drawn; the run's own page draws all. */
const MAX_MODELS = 5;

/** The best model of each suite, by its newest finished run. */
export function SuiteFigures() {
  const runs = newestRunPerSuite(useSuspenseQuery(finishedRunsQuery).data.items, MAX_SUITES);
  if (runs.length === 0) return null;
  return (
    <Section id="newest" title="Newest finished run of each suite">
      {runs.map((run) => (
        <RunFigure key={run.id} run={run} />
      ))}
    </Section>
  );
}

function RunFigure({ run }: { run: Run }) {
  const scored = run.summaries
    .filter(({ overall }) => overall !== null)
    .toSorted((one, other) => other.overall! - one.overall!);
  const unscored = run.summaries.length - scored.length;
  const name = runName(run);
  return (
    <article className={css.figure} aria-label={`Run of ${run.suite.name.slice(0, 100)}`}>
      <h3>
        <Link to="/runs/$runId" params={{ runId: run.id }}>
          <UserLine text={name} />
        </Link>
      </h3>
      <div className="facts small">
        {run.name !== null && (
          <span className={css.suite}>
            <UserLine text={`${run.suite.name}, version ${run.suite.version}`} />
          </span>
        )}
        <Time at={run.finished_at ?? run.created_at} />
        <span>
          cost <Money usd={run.actual?.cost_usd ?? null} />
        </span>
        {unscored > 0 && (
          <span className="errored-count">
            {unscored === 1 ? 'one model' : `${count(unscored)} models`} without a score
          </span>
        )}
        <Link to="/runs/new" search={{ from: run.id }} aria-label={`Run again: ${name.slice(0, 100)}`}>
          Run again
        </Link>
      </div>
      {scored.length === 0 ? (
        <p className="muted">No result has a score: {count(run.counts.errored)} errored.</p>
      ) : (
        <Intervals
          label={`Mean score of each model with its 95 % interval, ${name.slice(0, 100)}`}
          rows={scored.slice(0, MAX_MODELS).map(rowOf)}
        />
      )}
      {scored.length > MAX_MODELS && (
        <Link to="/runs/$runId" params={{ runId: run.id }} className="small">
          {count(scored.length - MAX_MODELS)} more models
        </Link>
      )}
    </article>
  );
}

function rowOf(summary: Summary): IntervalRow {
  const { target, overall, scored, errored } = summary;
  const { interval, isAlike } = shownInterval(summary);
  return {
    key: target,
    label: <UserLine text={target} />,
    mean: overall!,
    interval: interval ?? [overall!, overall!],
    isHollow: isAlike,
    text: (
      <>
        <Score mean={overall} ci={interval} scored={scored} errored={errored} />
        {isAlike && ' all equal'}
      </>
    ),
  };
}
