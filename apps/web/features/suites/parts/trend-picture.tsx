import { useNavigate } from '@tanstack/react-router';
import type { Trend, TrendPoint } from '#lib/contracts/trend';
import { money, percent, scoreText } from '../../../ui/amounts';
import { Picture } from '../../../ui/figures/picture';
import { TrendPlot, type TrendMark } from '../../../ui/figures/trend';
import { Note } from '../../../ui/hint';
import { Moment } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { ModelName, useModelLabel } from '../../providers/parts/model-name';
import css from './trend-picture.module.css';
import { standsFor } from './trend-words';

interface Props {
  trend: Trend;
  choose: (target: string) => void;
}

/** A model's line, or a small one of each model. */
export function TrendPicture({ trend, choose }: Props) {
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
  return (
    <Picture label="Scores over time" read={read} numbers={numbers}>
      <ModelTrends lines={lines} choose={choose} />
    </Picture>
  );
}

/** Small lines of models in one pair of scales. */
function ModelTrends({ lines, choose }: { lines: readonly Line[]; choose: Props['choose'] }) {
  const labelOf = useModelLabel();
  const all = { marks: lines.flatMap(({ marks }) => marks) };
  return (
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
  );
}

interface Line {
  target: string;
  first: number | null;
  last: number | null;
  marks: readonly TrendMark[];
}

/** "91.7 % → 64.2 %"; the score alone of a single run. */
function spanWords(first: number | null, last: number | null, runs: number): string {
  if (first === null || last === null) return '';
  return runs === 1 ? percent(last) : `${percent(first)} → ${percent(last)}`;
}

const nameOf = ({ run: { id, name } }: TrendPoint): string => name ?? `run ${id.slice(-8)}`;

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
