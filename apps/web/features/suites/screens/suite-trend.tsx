import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Trend } from '#lib/contracts/trend';
import { Empty } from '../../../ui/empty';
import { FilterChoice } from '../../../ui/filters';
import { Note } from '../../../ui/hint';
import { QueryBoundary } from '../../../ui/query-boundary';
import { UserText } from '../../../ui/user-text';
import { useModelLabel } from '../../providers/parts/model-name';
import { trendQuery } from '../api';
import { TrendPicture } from '../parts/trend-picture';
import { drawnWords, fallOf, mainChangeOf } from '../parts/trend-words';
import { SuiteFrame } from './suite-frame';
import css from './suites.module.css';

const ROUTE = '/signed-in/suites/$suiteId/trend';

/** How the models of a suite went, run by run. */
export function SuiteTrendScreen() {
  const { suiteId } = useParams({ from: ROUTE });
  return (
    <SuiteFrame suiteId={suiteId}>
      {() => (
        <QueryBoundary rows={16}>
          <SuiteTrend suiteId={suiteId} />
        </QueryBoundary>
      )}
    </SuiteFrame>
  );
}

function SuiteTrend({ suiteId }: { suiteId: string }) {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const labelOf = useModelLabel();
  const { data } = useSuspenseQuery(trendQuery(suiteId, search));
  const trend = data.items[0];
  const history = trend?.history;
  const go = (change: typeof search): void =>
    void navigate({ to: '/suites/$suiteId/trend', params: { suiteId }, search: { ...search, ...change } });
  if (!trend || !history || (trend.points.length === 0 && search.part === undefined && search.model === undefined))
    return <Empty>No trend yet. It begins with the first run that ends.</Empty>;
  return (
    <section className="section" aria-label="Trend">
      <div className={css.choices}>
        <FilterChoice
          label="Model"
          none={history.models.length > 1 ? 'those that changed most' : 'all'}
          choices={history.models.map(({ target }) => [target, labelOf(target)])}
          value={search.model}
          choose={(model) => go({ model })}
        />
        {history.parts.length > 0 && (
          <FilterChoice
            label="Cases"
            none="all cases"
            choices={history.parts.map(({ kind, name }) => [`${kind}:${name}`, `${kind} ${name}`])}
            value={search.part}
            choose={(part) => go({ part })}
          />
        )}
      </div>
      <Answer trend={trend} />
      <TrendPicture trend={trend} choose={(model) => go({ model })} />
      <div className="muted small">
        {drawnWords(history)} {history.how !== null && <Note of="Which">{history.how}</Note>}
      </div>
    </section>
  );
}

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** What happened, in a sentence. */
function Answer({ trend }: { trend: Trend }) {
  const labelOf = useModelLabel();
  const shown = new Set(trend.points.flatMap(({ models }) => models.map(({ target }) => target)));
  const models = trend.history?.models.filter(({ target }) => shown.has(target)) ?? [];
  const change = mainChangeOf({ history: trend.history && { ...trend.history, models } });
  if (trend.history?.runs === 1) return <p className={css.answer}>One run so far.</p>;
  if (!change) return <p className={css.answer}>Nothing to compare yet.</p>;
  const fall = change.direction === 'fell' ? fallOf(trend, change.target) : undefined;
  return (
    <p className={css.answer}>
      <UserText text={labelOf(change.target)} max={100} /> {change.direction} {change.words}
      {fall && (
        <>
          ; worse since{' '}
          <Link to="/runs/$runId" params={{ runId: fall.run_id }}>
            <UserText text={fall.name ?? `run ${fall.run_id.slice(-8)}`} max={100} />
          </Link>
          , <time dateTime={fall.finished_at}>{dates.format(new Date(fall.finished_at))}</time>
        </>
      )}
      .
    </p>
  );
}
