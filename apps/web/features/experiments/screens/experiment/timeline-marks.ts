import type { ReactNode } from 'react';
import type { TimelineEntry } from '#lib/contracts/experiment';
import type { Trend } from '#lib/contracts/trend';
import { count, percent, scoreText } from '../../../../ui/amounts.js';
import type { TrendMark } from '../../../../ui/figures/trend.js';

/** The name of a run; without one, the end of its id. */
export const entryName = ({ id, name }: Pick<TimelineEntry, 'id' | 'name'>): string => name ?? `run ${id.slice(-8)}`;

type Drawn = Pick<
  TimelineEntry,
  | 'type'
  | 'id'
  | 'name'
  | 'timestamp'
  | 'score'
  | 'score_ci'
  | 'scored'
  | 'suite_version'
  | 'is_baseline'
  | 'is_best'
  | 'comparison'
>;

/** Whether a run is shown to differ from the baseline. A model that is worse is not made good by others. */
function standsOf({ comparison }: Pick<TimelineEntry, 'comparison'>): TrendMark['stands'] {
  if (comparison?.verdict === 'regressed' || (comparison?.models?.regressed ?? 0) > 0) return 'worse';
  return comparison?.verdict === 'improved' ? 'better' : undefined;
}

/** The runs of a timeline as marks of a picture. @param cardOf what is shown of a run under the pointer */
export function marksOf<Entry extends Drawn>(
  entries: readonly Entry[],
  cardOf: (entry: Entry) => ReactNode,
): TrendMark[] {
  const marks: TrendMark[] = [];
  let version: number | null = null;
  for (const entry of entries) {
    if (entry.type !== 'eval') continue;
    const { id, score, score_ci: ci, scored, suite_version: now, is_best: isBest, is_baseline: isBaseline } = entry;
    const isNew = version !== null && now !== null && version !== now;
    version = now ?? version;
    const stands = standsOf(entry);
    marks.push({
      ...{ key: id, at: Date.parse(entry.timestamp), mean: score, ci, stands, isApart: isNew },
      note: isNew ? `v${now}` : undefined,
      name: isBest ? 'best' : undefined,
      words: [
        ...[entryName(entry), scoreText({ mean: score, ci, scored })],
        isBaseline ? 'the baseline' : stands && `${stands} than the baseline`,
      ]
        .filter(Boolean)
        .join(', '),
      card: cardOf(entry),
    });
  }
  return marks;
}

/** What runs cost, by id: those of which all models are known. */
export function costsOf(trend: Trend | undefined): Map<string, number> {
  return new Map(
    trend?.points.flatMap(({ run, models, more_models: more }) => {
      const costs = models.flatMap(({ cost_usd: cost }) => cost ?? []);
      if (more > 0 || costs.length < models.length) return [];
      return [[run.id, costs.reduce((sum, cost) => sum + cost, 0)] as const];
    }),
  );
}

/** What a timeline shows, in words. @param drawn marks that are drawn */
export function timelineText(entries: readonly Drawn[], drawn: number): string {
  const runs = entries.filter(({ type }) => type === 'eval');
  const scores = runs.flatMap(({ score }) => score ?? []);
  const versions = new Set(runs.flatMap(({ suite_version: version }) => version ?? [])).size;
  return [
    `${scores.length === 1 ? '1 score' : `${count(scores.length)} scores`}, ${span(scores)}.`,
    ...(versions > 1 ? [`${versions} versions of the suite.`] : []),
    ...(drawn < runs.length ? [`${count(drawn)} of ${count(runs.length)} runs are drawn.`] : []),
  ].join(' ');
}

const span = (scores: readonly number[]): string =>
  `${percent(Math.min(...scores))} to ${percent(Math.max(...scores))}`;
