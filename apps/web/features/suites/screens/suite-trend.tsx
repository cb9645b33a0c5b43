import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Trend, TrendPoint } from '#lib/contracts/trend';
import { money, percent, scoreText } from '../../../ui/amounts';
import { Empty } from '../../../ui/empty';
import { Picture } from '../../../ui/figures/picture';
import { TrendPlot, type TrendMark } from '../../../ui/figures/trend';
import { FilterChoice } from '../../../ui/filters';
import { Note } from '../../../ui/hint';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Moment } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { ModelName, useModelLabel } from '../../providers/parts/model-name';
import { trendQuery } from '../api';
import { drawnWords, lastFallOf, mainChangeOf, standsFor } from '../parts/trend-words';
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
      <Pictures trend={trend} choose={(model) => go({ model })} />
      <div className="muted small">
        {drawnWords(history)} {history.how !== null && <Note of="Which">{history.how}</Note>}
      </div>
    </section>
  );
}

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const nameOf = ({ run: { id, name } }: TrendPoint): string => name ?? `run ${id.slice(-8)}`;

/** What happened, in a sentence. */
function Answer({ trend }: { trend: Trend }) {
  const labelOf = useModelLabel();
  const shown = new Set(trend.points.flatMap(({ models }) => models.map(({ target }) => target)));
  const models = trend.history?.models.filter(({ target }) => shown.has(target)) ?? [];
  const change = mainChangeOf({ history: trend.history && { ...trend.history, models } });
  if (trend.history?.runs === 1) return <p className={css.answer}>One run so far.</p>;
  if (!change) return <p className={css.answer}>Nothing to compare yet.</p>;
  const fall = change.direction === 'fell' ? lastFallOf(trend.points, change.target) : undefined;
  return (
    <p className={css.answer}>
      <UserText text={labelOf(change.target)} max={100} /> {change.direction} {change.words}
      {fall && (
        <>
          ; worse since{' '}
          <Link to="/runs/$runId" params={{ runId: fall.run.id }}>
            <UserText text={nameOf(fall)} max={100} />
          </Link>
          , <time dateTime={fall.finished_at}>{dates.format(new Date(fall.finished_at))}</time>
        </>
      )}
      .
    </p>
  );
}

function Pictures({ trend, choose }: { trend: Trend; choose: (target: string) => void }) {
  const labelOf = useModelLabel();
  const navigate = useNavigate();
  const drawn = new Set(trend.points.flatMap(({ models }) => models.map(({ target }) => target)));
  const models = trend.history!.models.filter(({ target }) => drawn.has(target));
  const lines = models.map((model) => ({ ...model, marks: marksOf(trend, model.target) }));
  const open = (point: TrendPoint): void =>
    point.against
      ? void navigate({ to: '/compare', search: { runs: [point.against.run_id, point.run.id] } })
      : void navigate({ to: '/runs/$runId', params: { runId: point.run.id } });
  const numbers = {
    head: ['Model', 'First', 'Last', 'Change'],
    rows: () =>
      trend.history!.models.map(({ target, first, last }) => ({
        key: target,
        cells: [
          <ModelName key="name" target={target} />,
          ...[first, last].map((mean) => (mean === null ? 'nothing scored' : percent(mean))),
          first === null || last === null ? '' : `${signed(last - first)} points`,
        ],
      })),
  };
  const read = (
    <Note of="How to read this">
      Each line is a model&apos;s mean with its 95 % interval as a band; higher is better. A triangle is a run that is
      shown to be worse (down) or better (up) than the run before it. A gap is a run without a score.
    </Note>
  );
  const [only] = lines;
  if (only && lines.length === 1) {
    const points = trend.points.filter(({ models: of }) => of.some(({ target }) => target === only.target));
    return (
      <Picture label="Score over time" read={read} numbers={numbers}>
        <TrendPlot marks={only.marks} open={(index) => open(points[index]!)} />
      </Picture>
    );
  }
  const all = { marks: lines.flatMap(({ marks }) => marks) };
  return (
    <Picture label="Scores over time" read={read} numbers={numbers}>
      <ul className={css.multiples}>
        {lines.map(({ target, marks, first, last }) => (
          <li key={target}>
            <button type="button" className="plain" aria-label={labelOf(target)} onClick={() => choose(target)}>
              <ModelName target={target} />
            </button>{' '}
            <span className="small muted nowrap">{spanWords(first, last, marks.length)}</span>
            <TrendPlot marks={marks} of={all} isSmall />
          </li>
        ))}
      </ul>
    </Picture>
  );
}

/** "91.7 % → 64.2 %"; the score alone of a single run. */
function spanWords(first: number | null, last: number | null, runs: number): string {
  if (first === null || last === null) return '';
  return runs === 1 ? percent(last) : `${percent(first)} → ${percent(last)}`;
}

const signed = (share: number): string => {
  const points = (share * 100).toFixed(1).replace('-0.0', '0.0');
  return share > 0 ? `+${points}` : points;
};

function marksOf({ points }: Trend, target: string): TrendMark[] {
  const marks: TrendMark[] = [];
  let version: number | undefined;
  for (const point of points) {
    const model = point.models.find((one) => one.target === target);
    if (!model) continue;
    const { suite_version: now } = point.run;
    const isNew = version !== undefined && version !== now;
    version = now;
    const score = scoreText({ mean: model.mean, ci: model.ci, scored: model.scored ?? 0 });
    const stands = standsFor(target, point);
    marks.push({
      ...{ key: point.run.id, at: Date.parse(point.finished_at), mean: model.mean, ci: model.ci, stands },
      note: isNew ? `v${now}` : undefined,
      words: [nameOf(point), score, stands && `${stands} than the run before`].filter(Boolean).join(', '),
      card: <Card point={point} score={score} stands={stands} />,
    });
  }
  return marks;
}

interface CardProps {
  point: TrendPoint;
  score: string;
  stands: TrendMark['stands'];
}

function Card({ point, score, stands }: CardProps) {
  const [model] = point.models;
  return (
    <>
      <strong>
        <UserText text={nameOf(point)} max={100} />
      </strong>{' '}
      <Moment at={point.finished_at} />
      <div>{score}</div>
      {stands !== undefined && point.against?.difference != null && (
        <div>
          {stands} than the run before: {signed(point.against.worst?.difference ?? point.against.difference)} points
        </div>
      )}
      {model && point.models.length === 1 && (
        <div>
          {model.cost_usd != null && money(model.cost_usd)}
          {model.errored !== undefined && model.errored > 0 && ` ${model.errored.toLocaleString('en')} errored`}
        </div>
      )}
    </>
  );
}
