import type { FastifyInstance, FastifyRequest } from 'fastify';
import { contentTypeOf } from './content-type.js';
import { routeOptions } from './decorators.js';
import { tooLarge } from './upload.js';

/** The default limit of a route's body: what a person types. */
export const USUAL_BODY_BYTES = 64 * 1024;
/** The limit of a route whose body has lists. */
export const LISTS_BYTES = 256 * 1024;

/** The maximum size of a request's body in bytes. */
export function bodyBoundOf(request: FastifyRequest): number {
  const { file, json } = routeOptions(request);
  return file && contentTypeOf(request) !== 'application/json' ? file.bounds.bytes : (json?.bytes ?? USUAL_BODY_BYTES);
}

/** Refuses a body whose declared length is too large, before any of it is read. */
export function refuseLargeBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const bound = bodyBoundOf(request);
    if (Number(request.headers['content-length'] ?? 0) > bound) throw tooLarge(bound);
  });
}
