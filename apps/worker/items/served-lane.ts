import type { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { LaneMeter } from '../health/worker-metrics.js';

/** A lane that this process takes deliveries from. */
export interface ServedLane {
  teamId: string;
  meter: LaneMeter;
  budget: LaneBudget;
}
