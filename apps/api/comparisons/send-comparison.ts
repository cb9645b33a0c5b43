import type { FastifyReply } from 'fastify';
import type { Comparing } from '#lib/contracts/comparing';
import { leaveSignal } from '../platform/leave-signal.js';
import type { Patience } from './comparison-answers.js';

/** How long the place to ask again waits. */
const WAIT_AGAIN_S = 20;

/** How long the client of a request waits. @param wait in seconds */
export const patienceOf = (reply: FastifyReply, wait: number): Patience => ({
  waitMs: wait * 1000,
  left: leaveSignal(reply),
});

/** A small answer, as a large one comes from a thread. */
export const inJson = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/**
 * The JSON of an answer as it is, or 202 with the place to ask again, which is the same route with more patience: any
 * process of the API can answer it.
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
