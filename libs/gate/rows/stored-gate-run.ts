import type { Submission } from '#lib/db/engine/submit-run';
import type { GateRules } from '../contract.js';

/** The steps of a gate run: it makes the run that it measures, then looks at it, as often as its gate allows. */
export type GateStep = 'run' | 'look';

/** What a gate run was asked for, as its orchestration keeps it: the gate as it was then. */
export interface GateRunInput {
  gate: { id: string; name: string; version: number; rules: GateRules };
  /** Null: the gate has none, and nothing is run. */
  baselineId: string | null;
  /** The run to measure, if it is there already; otherwise `run` is made. */
  evalId?: string;
  run?: Pick<Submission, 'input' | 'targets' | 'estimate'>;
}
