import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { ProblemError } from '#lib/contracts/input/problem';

/** Maximum number of pipelined requests waiting on a connection. */
const MAX_WAITING = 100;

/**
 * Starts a request once the earlier ones on its connection are answered. HTTP lets clients pipeline requests and
 * requires answers in order: otherwise an earlier answer could wait for memory that a later one holds.
 */
export function answerInOrder(fastify: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  fastify.addHook('onRequest', async ({ raw: { socket } }, { raw }) => {
    // A response has no socket before its turn.
    if (raw.socket || raw.destroyed) return;
    const others = waiting.get(socket) ?? 0;
    if (others >= MAX_WAITING) socket.destroy();
    else {
      waiting.set(socket, others + 1);
      await new Promise<void>((resolve) => raw.once('socket', () => resolve()).once('close', () => resolve()));
      waiting.set(socket, waiting.get(socket)! - 1);
    }
    if (socket.destroyed) throw new ProblemError(408, 'The client left.');
  });
}
