import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { OrchestrationType } from '#lib/contracts/orchestration-kinds';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration, Step } from '#lib/db/engine/orchestrations';

/** A kind of orchestration, as its steps are made. */
export interface OrchestrationKind {
  type: OrchestrationType;
  nextStep: NextStep;
  /** SQL that has a row while an orchestration (`o`) waits for more than its child runs. */
  waits?: string;
}

/** What a step is made with. */
export interface StepContext {
  /** Its connections are held as long as two runs take to compare. */
  pool: Pool;
  comparing: Comparer;
  orchestration: Orchestration;
  signal: AbortSignal;
}

/**
 * What the next step of an orchestration does: a function of what is stored, and of nothing else. It may be called
 * again for the same step, and writes nothing that a second call would not write.
 * @throws ProblemError when the orchestration cannot go on: it fails, with that reason
 */
export type NextStep = (context: StepContext) => Promise<Step>;
