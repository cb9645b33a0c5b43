import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** For answers that are not pages. */
const NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Swagger UI has styles of its own in the page, and pictures in its styles. */
const DOCS = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Headers that keep browsers from doing more with an answer than showing it to its own page. No answer of the API is
 * stored on the way, because many hold secrets or what models said; a route may say otherwise. Pages have their own
 * policies.
 * @param isOverTls whether browsers reach this server over TLS alone
 */
export async function sendSecurityHeaders(fastify: FastifyInstance, isOverTls: boolean): Promise<void> {
  await fastify.register(helmet, {
    contentSecurityPolicy: false,
    strictTransportSecurity: isOverTls && { includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  });
  fastify.addHook('onRequest', async (request, reply) => {
    const { url = request.url } = request.routeOptions;
    void reply.header('content-security-policy', url.startsWith('/docs') ? DOCS : NO_PAGE);
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store');
  });
}

/** The same for a request that is too broken to reach a route. */
export const sendHeadersOfRefusal = (reply: FastifyReply): void =>
  void reply.headers({
    'content-security-policy': NO_PAGE,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
