import { useQuery } from '@tanstack/react-query';
import type { Experiment, TimelineEntry } from '#lib/contracts/experiment';
import { runQuery } from '../../../runs/api/runs';
import { Timeline, type Band, type TimelinePoint } from '../../parts/timeline';
import { scoreOfRun } from '../../../runs/parts/run-score';

interface Props {
  experiment: Experiment;
  entries: readonly TimelineEntry[];
}

/** The scores in time order, against the baseline's interval. */
export function ScoreTimeline({ experiment, entries }: Props) {
  return (
    <Timeline
      label="Scores of the experiment over time"
      points={entries.map(pointOf)}
      band={useBand(experiment.baseline_eval_id)}
    />
  );
}

function useBand(baseline: string | null): Band | undefined {
  const { data } = useQuery({ ...runQuery(baseline ?? ''), enabled: baseline !== null, retry: false });
  if (!data || baseline === null) return undefined;
  const { mean, ci, scored } = scoreOfRun(data);
  return mean === null ? undefined : { score: mean, interval: ci, scored };
}

const pointOf = (entry: TimelineEntry, place: number): TimelinePoint => ({
  key: `${entry.type} ${entry.id}`,
  number: place + 1,
  score: entry.score,
  interval: entry.score_ci,
  scored: entry.scored,
  errored: entry.errored,
  suiteVersion: entry.suite_version,
  isBaseline: entry.is_baseline,
  isBest: entry.is_best,
  isShown: entry.comparison?.verdict === 'improved' || entry.comparison?.verdict === 'regressed',
});
