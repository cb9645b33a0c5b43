import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { OrchestrationType } from '#lib/contracts/values/jobs';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration, OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';

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

/** How it ends when a child run has spent the budget; undefined while there is some left. */
export function spentBudget({ children }: Pick<Orchestration, 'children'>): OrchestrationEnd | undefined {
  const stopped = children.find(({ status }) => status === 'budget_exceeded');
  return stopped && { status: 'budget_exceeded', detail: stopped.detail ?? 'The budget is spent.' };
}

/** What a step stores and announces of its findings, before it decides what comes next. */
export type Progress = Pick<Step, 'store' | 'events'>;

/** A step preceded by its progress, in one transaction and in this order. */
export const withProgress = ({ store, events = [] }: Progress, step: Step): Step => ({
  ...step,
  events: [...events, ...(step.events ?? [])],
  store: async (client) => {
    await store?.(client);
    await step.store?.(client);
  },
});
