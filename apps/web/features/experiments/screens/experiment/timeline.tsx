import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { Experiment, TimelineEntry } from '#lib/contracts/experiment';
import type { Trend } from '#lib/contracts/trend';
import { scoreText, type Scored } from '../../../../ui/amounts';
import { Picture } from '../../../../ui/figures/picture';
import { thinned } from '../../../../ui/figures/thinned';
import { TrendPlot, type TrendMark } from '../../../../ui/figures/trend';
import { FilterChoice } from '../../../../ui/filters';
import { Note } from '../../../../ui/hint';
import { UserText } from '../../../../ui/user-text';
import { useModelLabel } from '../../../providers/parts/model-name';
import { TrendPicture } from '../../../suites/parts/trend-picture';
import { drawnWords } from '../../../suites/parts/trend-words';
import { EntryCard } from './entry-card';
import { costsOf, entryName, marksOf, timelineText } from './timeline-marks';

interface Props {
  experiment: Experiment;
  entries: readonly TimelineEntry[];
  /** The reference score. */
  baseline: Scored | undefined;
  /** Of its models; undefined before there is one. */
  trend: Trend | undefined;
}

/** Scores of an experiment in order of time: the mean over its models against the baseline, and each model. */
export function Timeline({ experiment, entries, baseline, trend }: Props) {
  const { model } = useSearch({ from: '/signed-in/experiments/$experimentId' });
  const navigate = useNavigate();
  const labelOf = useModelLabel();
  const models = trend?.history?.models ?? [];
  const one = trend && model !== undefined ? ofModel(trend, model) : undefined;
  const choose = (chosen: string | undefined): void =>
    void navigate({ to: '.', search: (address) => ({ ...address, model: chosen }), hash: 'timeline' });
  return (
    <>
      {models.length > 1 && (
        <div>
          <FilterChoice
            label="Model"
            none="mean of the models"
            choices={models.map(({ target }) => [target, labelOf(target)])}
            value={model}
            choose={choose}
          />
        </div>
      )}
      {one ? (
        <TrendPicture trend={one} choose={choose} />
      ) : (
        <>
          <MeanPicture {...{ experiment, entries, baseline, trend }} />
          {trend && models.length > 1 && (
            <>
              <TrendPicture trend={trend} choose={choose} />
              {trend.history!.left_out > 0 && (
                <div className="muted small">
                  {drawnWords(trend.history!)} <Note of="Which">{trend.history!.how}</Note>
                </div>
              )}
            </>
          )}
        </>
      )}
    </>
  );
}

/** The trend of one of its models; undefined when none is drawn. */
function ofModel(trend: Trend, model: string): Trend | undefined {
  const isIt = ({ target }: { target: string }): boolean => target === model;
  const points = trend.points
    .filter(({ models }) => models.some(isIt))
    .map((point) => ({ ...point, models: point.models.filter(isIt) }));
  if (points.length === 0) return undefined;
  return { ...trend, points, history: { ...trend.history!, models: trend.history!.models.filter(isIt) } };
}

/** Drawn runs, beside those that stand out. */
const MAX_MARKS = 200;
const LABEL = 'Scores of the experiment over time';

function MeanPicture({ experiment, entries, baseline, trend }: Props) {
  const navigate = useNavigate();
  const costs = useMemo(() => costsOf(trend), [trend]);
  const marks = useMemo(
    () => marksOf(entries, (entry): ReactNode => <EntryCard entry={entry} cost={costs.get(entry.id)} />),
    [entries, costs],
  );
  const drawn = useMemo(() => thinned(marks, MAX_MARKS), [marks]);
  if (!marks.some(({ mean }) => mean !== null)) return null;
  const from = experiment.baseline_eval_id;
  const open = ({ key }: TrendMark): void =>
    from === null || key === from
      ? void navigate({ to: '/runs/$runId', params: { runId: key } })
      : void navigate({ to: '/compare', search: { runs: [from, key] } });
  const rows = () =>
    entries
      .filter(({ score }) => score !== null)
      .map((entry) => ({
        key: entry.id,
        cells: [
          <UserText key="name" text={entryName(entry)} max={100} />,
          scoreText({ mean: entry.score, ci: entry.score_ci, scored: entry.scored }),
          entry.suite_version,
        ],
      }));
  return (
    <Picture
      label={LABEL}
      says={timelineText(entries, drawn.length)}
      read={<Reading baseline={baseline} />}
      numbers={{ head: ['Run', 'Score', 'Suite version'], rows }}
    >
      <TrendPlot
        marks={drawn}
        reference={baseline && { label: 'baseline', mean: baseline.mean!, ci: baseline.ci }}
        open={(index) => open(drawn[index]!)}
      />
    </Picture>
  );
}

const Reading = ({ baseline }: { baseline: Scored | undefined }) => (
  <Note of="How to read this">
    <p>
      The line is the mean over the models, with its 95 % interval as a band; it joins runs of one version of the suite.
      A triangle is a run that differs from the baseline, case by case: worse (down), even if only one model is, or
      better (up).
    </p>
    {baseline && <p>The dashed line is the baseline, {scoreText(baseline)}.</p>}
  </Note>
);
