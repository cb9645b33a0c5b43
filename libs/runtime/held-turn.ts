import { AsyncLocalStorage } from 'node:async_hooks';

const held = new AsyncLocalStorage<() => void>();

/** Runs work that holds a slot of a shared queue, such as its team's. `end` may be called more than once. */
export const runWithTurn = <Made>(end: () => void, work: () => Made): Made => held.run(end, work);

/**
 * Releases the slot in the middle of the work: before it waits in a queue of its own, or for long. The next ones in the
 * shared queue then do not have to wait for that.
 */
export const leaveTurn = (): void => held.getStore()?.();
