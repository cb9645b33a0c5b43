import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';

/**
 * Resets the connection of an answer that fails midway. Over HTTP/1.0, which many proxies speak to their upstream, a
 * connection that is merely closed is the regular end of a file.
 */
export function resetCutAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (_request, { raw }, payload) => {
    if (payload instanceof Readable) payload.once('error', () => raw.headersSent && raw.socket?.resetAndDestroy());
  });
}
