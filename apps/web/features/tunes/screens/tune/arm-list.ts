import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { armKey, type ArmUpdate } from '../../live.js';

/** The states of an arm in order: older news do not move an arm back. */
const STATES: readonly TuneArm['state'][] = ['waiting', 'running', 'dropped', 'finalist', 'recommended'];

/** An arm, updated with the live news since it was read. */
export function withUpdates(arm: TuneArm, news: ReadonlyMap<string, ArmUpdate>): TuneArm {
  const update = news.get(armKey(arm));
  if (!update || update.cases < arm.cases) return arm;
  const { cases, mean, ci, cost_usd, rung, latency_ms: latency } = update;
  const state = STATES.indexOf(update.state) > STATES.indexOf(arm.state) ? update.state : arm.state;
  return { ...arm, state, cases, mean, ci, cost_usd, rung, latency_p50_ms: latency };
}

export interface ArmGroups {
  /** Arms that are, or were, in the race until its end; best first. */
  leading: TuneArm[];
  dropped: TuneArm[];
  /** Arms not tried, or not yet. */
  waiting: TuneArm[];
  /** Arms whose requests equal another arm's. */
  same: TuneArm[];
}

/** The arms of a model by state, best first in each group. */
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

/** The number of combinations of a tune, over all models. */
export const combinationsOf = ({ targets }: Pick<ParamTune, 'targets'>): number =>
  targets.reduce((sum, { arms }) => sum + arms, 0);

/** The cost of the arms so far; null if one has no price, 0 before the first. */
export function costOf(arms: readonly TuneArm[]): number | null {
  const measured = arms.filter(({ samples, errored }) => samples + errored > 0);
  if (measured.some(({ cost_usd: cost }) => cost === null)) return null;
  return measured.reduce((sum, { cost_usd: cost }) => sum + cost!, 0);
}
