/**
 * The largest response that is read. A model's reply takes a few kilobytes; a larger response would overload the
 * worker.
 */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/**
 * The part of a response other than 2xx that is read. An error takes a few hundred bytes, unless its host quotes the
 * model's output or the request in it.
 */
export const MAX_ERROR_BYTES = 64 * 1024;

export class ResponseTooLarge extends Error {}

/** Time limit for the arrival of a large response once it holds memory that others wait for. */
export const MAX_ARRIVAL_MS = 60_000;

export class ResponseTooSlow extends Error {}
