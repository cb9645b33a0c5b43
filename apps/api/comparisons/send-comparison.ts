import type { FastifyReply } from 'fastify';
import type { Comparing } from '#lib/contracts/comparing';
import { leaveSignal } from '../platform/leave-signal.js';
import type { Patience } from './comparison-answers.js';

/** The `wait` of the URL at which the client polls for the answer. */
const WAIT_AGAIN_S = 20;

/** How long the client of a request waits. @param wait in seconds */
export const patienceOf = (reply: FastifyReply, wait: number): Patience => ({
  waitMs: wait * 1000,
  left: leaveSignal(reply),
});

/** For small answers; a thread encodes the large ones. */
export const jsonBytes = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/**
 * Sends the JSON of an answer unchanged, or 202 with the URL to poll: the same route with a longer wait. Any process of
 * the API can answer it.
 */
export function sendComparison(json: Uint8Array<ArrayBuffer> | undefined, reply: FastifyReply): Buffer | Comparing {
  if (json) {
    void reply.type('application/json; charset=utf-8');
    return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  }
  const { pathname, searchParams } = new URL(reply.request.url, 'http://localhost');
  searchParams.set('wait', String(WAIT_AGAIN_S));
  const url = `${pathname}?${searchParams}`;
  void reply.status(202).header('location', url).header('retry-after', 1);
  return {
    status: 'comparing',
    detail: `The runs are still being compared. Ask again at ${url}, which waits for the answer.`,
    url,
  };
}
