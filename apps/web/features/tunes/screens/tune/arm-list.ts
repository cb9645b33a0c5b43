import type { ParamTune } from '#lib/param-tune/contract';
import type { Arm } from '../../parts/arms.js';
import { armKey, type ArmUpdate } from '../../live.js';

/** The states of an arm in order: older news do not move an arm back. */
const STATES: readonly Arm['state'][] = ['waiting', 'running', 'dropped', 'finalist', 'recommended'];

/** An arm, updated with the live news since it was read. */
export function withUpdates(arm: Arm, news: ReadonlyMap<string, ArmUpdate>): Arm {
  const update = news.get(armKey(arm));
  if (!update || update.cases < arm.cases) return arm;
  const { cases, mean, ci, cost_usd, rung, latency_ms: latency } = update;
  const state = STATES.indexOf(update.state) > STATES.indexOf(arm.state) ? update.state : arm.state;
  return { ...arm, state, cases, mean, ci, cost_usd, rung, latency_p50_ms: latency };
}

export interface ArmGroups {
  /** Arms that are, or were, in the race until its end; best first. */
  leading: Arm[];
  dropped: Arm[];
  /** Arms not tried, or not yet. */
  waiting: Arm[];
  /** Arms whose requests equal another arm's. */
  same: Arm[];
}

/** The arms of a model by state, best first in each group. */
export function groupArms(arms: readonly Arm[]): ArmGroups {
  const groups: ArmGroups = { leading: [], dropped: [], waiting: [], same: [] };
  for (const arm of arms) groups[groupOf(arm)].push(arm);
  for (const group of Object.values(groups) as Arm[][]) group.sort(byMerit);
  return groups;
}

function groupOf({ same_as: sameAs, state }: Arm): keyof ArmGroups {
  if (sameAs !== null) return 'same';
  return state === 'dropped' || state === 'waiting' ? state : 'leading';
}

function byMerit(one: Arm, other: Arm): number {
  const isChosen = Number(other.state === 'recommended') - Number(one.state === 'recommended');
  return isChosen || (other.mean ?? -1) - (one.mean ?? -1) || one.arm - other.arm;
}

/** The number of combinations of a tune, over all models. */
export const combinationsOf = ({ targets }: Pick<ParamTune, 'targets'>): number =>
  targets.reduce((sum, { arms }) => sum + arms, 0);

/** The cost of the arms so far; null if one has no price, 0 before the first. */
export function costOf(arms: readonly Arm[]): number | null {
  const measured = arms.filter(({ samples, errored }) => samples + errored > 0);
  if (measured.some(({ cost_usd: cost }) => cost === null)) return null;
  return measured.reduce((sum, { cost_usd: cost }) => sum + cost!, 0);
}
