import type { Step } from '#lib/db/engine/orchestrations';

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
