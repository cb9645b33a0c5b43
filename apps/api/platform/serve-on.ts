import type { FastifyInstance } from 'fastify';

/** Load balancers ask every few seconds whether an API is ready. */
const SERVE_ON_MS = 5000;
/**
 * How long requests in hand may take after that: together less than the half minute after which a process is
 * killed.
 */
export const END_WITHIN_MS = 20_000;

/**
 * Waits while an API that is not ready any more is still sent requests; another signal ends that. Answers whether
 * one came.
 */
export function serveOn(): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hurry: boolean): void => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, again);
      resolve(hurry);
    };
    const again = (): void => end(true);
    const timer = setTimeout(() => end(false), SERVE_ON_MS);
    for (const signal of SIGNALS) process.on(signal, again);
  });
}
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Lets each connection of an API that ends carry no further request, so that clients and load balancers take
 * another one.
 */
export function closeConnections(fastify: FastifyInstance, deps: { ending: boolean }): void {
  fastify.addHook('onSend', async (_request, reply) => void (deps.ending && reply.header('connection', 'close')));
  // Of answers whose headers had gone before.
  fastify.addHook('onResponse', async (request) => void (deps.ending && request.raw.socket.destroySoon()));
}
