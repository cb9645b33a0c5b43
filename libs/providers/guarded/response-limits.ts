/** The largest response that is read. A model's reply takes some kilobytes; a larger response would hurt the worker. */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/**
 * How much of a response other than 2xx is read. An error takes some hundred bytes, unless its host quotes in it what
 * the model wrote, or the request.
 */
export const MAX_ERROR_BYTES = 64 * 1024;

export class ResponseTooLarge extends Error {}

/** How long a large response may take to arrive once it holds memory that others wait for. */
export const MAX_ARRIVAL_MS = 60_000;

export class ResponseTooSlow extends Error {}
