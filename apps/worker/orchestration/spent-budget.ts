import type { Orchestration, OrchestrationEnd } from '#lib/db/engine/orchestrations';

/** How it ends when a child run has spent the budget; undefined while there is some left. */
export function spentBudget({ children }: Pick<Orchestration, 'children'>): OrchestrationEnd | undefined {
  const stopped = children.find(({ status }) => status === 'budget_exceeded');
  return stopped && { status: 'budget_exceeded', detail: stopped.detail ?? 'The budget is spent.' };
}
