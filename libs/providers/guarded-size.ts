/** The largest answer that is read. A model's reply is some kilobytes; a larger answer is a fault, and would hurt the worker. */
export const LARGEST_REPLY_BYTES = 16 * 2 ** 20;

export class AnswerTooLarge extends Error {}
