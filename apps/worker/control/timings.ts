/** Each turn of a step follows the last one after `gapMs` at the earliest, and after `idleMs` when nothing wakes it. */
export const TIMINGS = {
  // Dispatching waits for lanes that are due. `LOOK` says how often they are looked for.
  dispatch: { idleMs: 60_000, gapMs: 20 },
  finish: { idleMs: 1000, gapMs: 50 },
  refresh: { idleMs: 1000, gapMs: 50 },
  against: { idleMs: 1000, gapMs: 50 },
  prepare: { idleMs: 1000, gapMs: 0 },
  rescore: { idleMs: 1000, gapMs: 0 },
  orchestrate: { idleMs: 1000, gapMs: 50 },
  count: { idleMs: 1000, gapMs: 50 },
  reconcile: { idleMs: 2000, gapMs: 2000 },
  evict: { idleMs: 10_000, gapMs: 10_000 },
  housekeeping: { idleMs: 60_000, gapMs: 60_000 },
};
/**
 * A worker looks at the fleet and its lanes this often, in milliseconds: the more workers there are, the less often, so
 * that ten look as often as fifty. A worker that is silent for a few looks counts as gone (`MAX_SILENCE_S`).
 */
export const LOOK = { perWorkerMs: 50, minMs: 500, maxMs: 2500 };
export type StepName = keyof typeof TIMINGS | 'look';
