import type { Step } from '#lib/db/engine/orchestrations';

/** What a step stores and tells of what it found, before it decides what comes next. */
export type Progress = Pick<Step, 'store' | 'events'>;

/** A step with what was found before it, in one transaction and in this order. */
export const withProgress = ({ store, events = [] }: Progress, step: Step): Step => ({
  ...step,
  events: [...events, ...(step.events ?? [])],
  store: async (client) => {
    await store?.(client);
    await step.store?.(client);
  },
});
