import { AsyncLocalStorage } from 'node:async_hooks';

const held = new AsyncLocalStorage<() => void>();

/** Runs work that has its turn in a general line, such as that of its team. `end` may be called more than once. */
export const withTurn = <Made>(end: () => void, work: () => Made): Made => held.run(end, work);

/**
 * Gives the turn back in the middle of the work: before it waits in a line of its own, or for long. Those behind it in
 * the general line need not wait for that, too.
 */
export const leaveTurn = (): void => held.getStore()?.();
