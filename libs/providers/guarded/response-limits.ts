/**
 * The largest answer that is read. A model's reply is some kilobytes; a larger answer is a fault, and would hurt
 * the worker.
 */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

export class ResponseTooLarge extends Error {}

/** What is larger than most, and holds room that others wait for, has so long to arrive once it has that room. */
export const MAX_ARRIVAL_MS = 60_000;

export class ResponseTooSlow extends Error {}
