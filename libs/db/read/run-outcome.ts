import type { Actual } from '#lib/contracts/estimate';
import type { Ranking } from '#lib/contracts/ranking';
import type { RunTop } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import type { Run as StoredRun, Target } from '../generated/client.js';
import { parseSummary } from './summaries.js';

type RunRow = Pick<StoredRun, 'started_at' | 'finished_at'> & { targets: readonly Target[] };

/** The final figures of the models that are done. A model that was sent no request cost nothing. */
export const summariesOf = (targets: readonly Target[]): Summary[] =>
  targets.flatMap((target) => {
    if (!target.summary) return [];
    const summary = parseSummary(target.summary);
    const isFree = summary.cost_usd === null && target.requests === 0 && !target.recorded;
    return [isFree ? { ...summary, cost_usd: 0 } : summary];
  });

/** Usage and cost of a run, once it has ended and is summarised. A recorded run has none of its own. */
export function actualOf(
  { targets, started_at: startedAt, finished_at: finishedAt }: RunRow,
  summaries: readonly Summary[],
): Actual | null {
  if (!finishedAt || summaries.length === 0 || targets.every(({ recorded }) => recorded)) return null;
  const total = (of: (summary: Summary) => number): number => summaries.reduce((sum, summary) => sum + of(summary), 0);
  const known = total((s) => s.cost_usd ?? 0);
  return {
    requests: targets.reduce((sum, t) => sum + t.requests, 0),
    cached: total((s) => s.cached.results),
    prompt_tokens: total((s) => s.usage.prompt_tokens - s.cached.prompt_tokens),
    completion_tokens: total((s) => s.usage.completion_tokens - s.cached.completion_tokens),
    cost_usd: summaries.some((s) => s.cost_usd === null) ? null : known,
    known_cost_usd: known,
    duration_s: startedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : 0,
  };
}

/**
 * The models that may be the best, among those that have all of their results: of the others it is not known whether
 * they only had the easier cases.
 */
export function topOf(
  { targets }: Pick<RunRow, 'targets'>,
  summaries: readonly Summary[],
  ranking: Ranking | undefined,
): RunTop | null {
  const whole = new Set(targets.flatMap((t) => (t.settled === t.n ? [`${t.provider_key}::${t.model_id}`] : [])));
  const scored = summaries
    .filter(({ target, overall }) => overall !== null && whole.has(target))
    .sort((one, other) => other.overall! - one.overall!);
  const [best] = scored;
  if (!best) return null;
  const ranks = new Map(ranking?.items.map(({ target, rank }) => [target, rank]));
  const isTied = (one: Summary): boolean => {
    if (one === best) return true;
    const [from, to] = ranks.get(one.target) ?? [];
    // A model that was compared with no other may have any rank.
    const isUnknown = !ranking || to === ranks.size;
    return (!ranking || from === 1) && (!isUnknown || mayOverlap(one.overall_ci, best.overall_ci));
  };
  return {
    targets: scored.filter(isTied).map(({ target }) => target),
    score: best.overall!,
    by: ranking ? 'ranking' : 'intervals',
  };
}

type Interval = Summary['overall_ci'];
const mayOverlap = (one: Interval, best: Interval): boolean => !one || !best || one[1] >= best[0];
