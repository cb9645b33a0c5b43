import type { Step } from '#lib/db/engine/orchestrations';

/** What a step stores and tells of what it found, before it decides what comes next. */
export interface Progress extends Pick<Step, 'events'> {
  store: NonNullable<Step['store']>;
}

/** Both in one transaction. */
export const merge = ({ store, events = [] }: Progress, step: Step): Step => ({
  ...step,
  events: [...events, ...(step.events ?? [])],
  store: async (client) => {
    await store(client);
    await step.store?.(client);
  },
});
