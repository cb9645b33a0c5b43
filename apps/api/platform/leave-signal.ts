import type { FastifyReply } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';

/** Aborts when the client leaves before it has the answer. */
export function leaveSignal({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => raw.writableFinished || left.abort(new ProblemError(408, 'The client left.')));
  return left.signal;
}
