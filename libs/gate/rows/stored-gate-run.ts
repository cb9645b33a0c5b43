import type { Submission } from '#lib/db/engine/submit-run';
import type { GateRules } from '../contract.js';

/** The steps of a gate run: make the run to measure, then look at it, as often as the gate allows. */
export type GateStep = 'run' | 'look';

/** The request of a gate run, as stored in its orchestration: the gate as it was at that time. */
export interface GateRunInput {
  gate: { id: string; name: string; version: number; rules: GateRules };
  /** Null when the gate has no baseline, and nothing is run. */
  baselineId: string | null;
  /** The run to measure, if it already exists; otherwise `run` is made. */
  evalId?: string;
  run?: Pick<Submission, 'input' | 'targets' | 'estimate'>;
}
