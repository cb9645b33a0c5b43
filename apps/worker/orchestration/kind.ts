import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { OrchestrationType } from '#lib/contracts/values/jobs';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration, Step } from '#lib/db/engine/orchestrations';

/** A kind of orchestration, defined by its steps. */
export interface OrchestrationKind {
  type: OrchestrationType;
  nextStep: NextStep;
  /** SQL that returns a row while an orchestration (`o`) waits for something other than its child runs. */
  waits?: string;
}

/** The inputs of a step. */
export interface StepContext {
  /** Its connections are held for as long as two runs take to compare. */
  pool: Pool;
  comparing: Comparer;
  orchestration: Orchestration;
  signal: AbortSignal;
}

/**
 * Decides the next step of an orchestration, as a function of stored data only. It may be called again for the same
 * step, and then writes nothing that the first call did not.
 * @throws ProblemError when the orchestration cannot continue: it fails with that reason
 */
export type NextStep = (context: StepContext) => Promise<Step>;
