import type { TuneArm } from '#lib/param-tune/contract';
import { armKey, type ArmNews } from '../../live/live-tune.js';

/** How far an arm came: one that is further on is not told of by older news. */
const STATES: readonly TuneArm['state'][] = ['waiting', 'running', 'dropped', 'finalist', 'recommended'];

/** An arm with what came in of it since it was read. */
export function withNews(arm: TuneArm, news: ReadonlyMap<string, ArmNews>): TuneArm {
  const told = news.get(armKey(arm));
  if (!told || told.cases < arm.cases) return arm;
  const { cases, mean, ci, cost_usd, rung, latency_ms: latency } = told;
  const state = STATES.indexOf(told.state) > STATES.indexOf(arm.state) ? told.state : arm.state;
  return { ...arm, state, cases, mean, ci, cost_usd, rung, latency_p50_ms: latency };
}

export interface ArmGroups {
  /** Those that are, or were, in the race to its end; the best first. */
  leading: TuneArm[];
  dropped: TuneArm[];
  /** Not tried, or not yet. */
  waiting: TuneArm[];
  /** Those whose requests are the same as another's. */
  same: TuneArm[];
}

/** The arms of a model by how far they came, each group with the best first. */
export function groupArms(arms: readonly TuneArm[]): ArmGroups {
  const groups: ArmGroups = { leading: [], dropped: [], waiting: [], same: [] };
  for (const arm of arms) groups[groupOf(arm)].push(arm);
  for (const group of Object.values(groups) as TuneArm[][]) group.sort(byMerit);
  return groups;
}

function groupOf({ same_as: sameAs, state }: TuneArm): keyof ArmGroups {
  if (sameAs !== null) return 'same';
  return state === 'dropped' || state === 'waiting' ? state : 'leading';
}

function byMerit(one: TuneArm, other: TuneArm): number {
  const isChosen = Number(other.state === 'recommended') - Number(one.state === 'recommended');
  return isChosen || (other.mean ?? -1) - (one.mean ?? -1) || one.arm - other.arm;
}

/** What the arms cost so far; null where one has no price, 0 before the first. */
export function costOf(arms: readonly TuneArm[]): number | null {
  const measured = arms.filter(({ samples, errored }) => samples + errored > 0);
  if (measured.some(({ cost_usd: cost }) => cost === null)) return null;
  return measured.reduce((sum, { cost_usd: cost }) => sum + cost!, 0);
}
