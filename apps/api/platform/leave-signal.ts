import type { FastifyReply } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';

/** Aborts when the client leaves before it has the answer, or has already left. */
export function leaveSignal({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  const leave = (): void => void (raw.writableFinished || left.abort(new ProblemError(408, 'The client left.')));
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return left.signal;
}
