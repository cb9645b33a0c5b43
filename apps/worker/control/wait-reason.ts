import { momentText } from '#lib/contracts/moment-text';
import type { LaneLimits } from '#lib/db/catalogue/lane-limits';
import { readLaneState } from '#lib/queue/budget/lane-state';
import type { Redis } from '#lib/runtime/redis';

/** Shorter pauses requested by a provider are not shown. */
const MIN_PAUSE_MS = 5000;

/** Why a lane cannot work for longer than a moment; undefined when it can. */
export async function findWaitReason(redis: Redis, lane: LaneLimits): Promise<string | undefined> {
  if (lane.paused_at) return `since ${momentText(lane.paused_at)}: the lane is paused.`;
  const state = await readLaneState(redis, lane.id).catch(() => undefined);
  if (state?.outage) return `since ${momentText(state.outage.since)}: ${state.outage.error}`;
  if (state?.blockedUntil && state.blockedUntil > Date.now() + MIN_PAUSE_MS)
    return `until ${momentText(state.blockedUntil)}: ${state.blockReason ?? 'it asked for a pause.'}`;
  return undefined;
}
