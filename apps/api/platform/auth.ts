import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '#lib/contracts/input/problem';
import { SessionInput } from '#lib/contracts/session';
import { ROLES } from '#lib/contracts/values/team';
import type { Caller } from '#lib/db/catalogue/callers';
import type { CallerLimits } from './caller-limits.js';
import { credentialOf } from './credentials.js';
import { routeOptions, type CallerRequest, type OpenTo } from './decorators.js';
import type { KnownCallers } from './known-callers.js';
import { isFromOwnPage } from './own-page.js';
import { factsOf } from './request-source.js';
import { checkReading, refuseLimits } from './token-limits.js';
import { sizeName } from './upload.js';

export const MAX_OPEN_BYTES = 8 * 1024;
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Routes outside of /api/ that cost something, unlike health and the files of the page. */
const COSTLY = /^\/(?:openapi\.json|metrics|docs(?:$|[/-]))/;

/**
 * Looks up the caller of each request and checks the role before any of the body is read: the API stores and parses
 * nothing from callers who may not send it. Every route under /api/ needs a token or a session, except those
 * that are open because they lead to one; no other route does.
 */
export function checkTokens(fastify: FastifyInstance, callers: KnownCallers): void {
  const { limits } = callers;
  fastify.addHook('onRequest', async (request: CallerRequest, reply) => {
    if (request.is404) throw new NotFoundException(`Cannot ${request.method} ${request.url}`);
    if (!request.routeOptions.url?.startsWith('/api/')) {
      if (COSTLY.test(request.routeOptions.url ?? '')) await countOpen(request, reply, callers);
      return;
    }
    const { needs, open, provesItself } = routeOptions(request);
    if (open && !provesItself) await countOpen(request, reply, callers);
    if (open) return checkOpen(request.raw, open);
    const credential = credentialOf(request.raw);
    if (!credential)
      throw (
        (await limits.ofAddress(request, reply)) ??
        new ProblemError(
          401,
          'Send your token as "Authorization: Bearer <token>". A session counts only for the pages of this server.',
        )
      );
    const isReading = READING_METHODS.has(request.method);
    const caller = await (isReading ? callers.find(credential, request) : callers.findAnew(credential, request));
    // Also of a request that is refused below: the audit says who it was.
    request.caller = { ...caller, request: factsOf(request) };
    await limits.ofCaller(caller, reply);
    const needed = needs ?? (isReading ? 'viewer' : 'editor');
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(needed))
      throw new ProblemError(403, `This needs the role "${needed}"; the ${credential.kind} has "${caller.role}".`).as(
        'role_needed',
        { needed, role: caller.role },
      );
    checkReading(request, caller, needed);
    if (needed === 'owner' && !isReading) refuseLimits(caller);
  });
  // Before a sign-in waits for its turn: one with a right token must not wait for the wrong ones of its address.
  fastify.addHook('preHandler', async (request: CallerRequest, reply) => {
    if (routeOptions(request).provesItself !== 'token') return;
    const { success, data } = SessionInput.safeParse(request.body);
    if (success)
      await countCaller(await callers.find({ kind: 'token', secret: data.token }, request), request, reply, limits);
  });
}

/** Counts a request without a token against its address. One with a right token is never refused for that. */
async function countOpen(request: CallerRequest, reply: FastifyReply, callers: KnownCallers): Promise<void> {
  const refusal = await callers.limits.ofAddress(request, reply);
  if (!refusal) return;
  const credential = credentialOf(request.raw);
  if (!credential) throw refusal;
  await countCaller(await callers.find(credential, request), request, reply, callers.limits);
}

/** Counts the caller of a route that needs none. */
async function countCaller(
  caller: Caller,
  request: CallerRequest,
  reply: FastifyReply,
  limits: CallerLimits,
): Promise<void> {
  try {
    await limits.ofCaller(caller, reply);
  } catch (error) {
    // The audit says who it was.
    request.caller = { ...caller, request: factsOf(request) };
    throw error;
  }
}

/** Another site must not sign its visitors in as a different user, and nobody may send much without a token. */
function checkOpen(request: IncomingMessage, to: OpenTo): void {
  if (to === 'own-page' && !isFromOwnPage(request))
    throw new ProblemError(
      403,
      'Only the pages of this server sign in. Send your token as "Authorization: Bearer <token>" with each request. ' +
        'If this is such a page, its proxy must pass on the Host header, or be one of TOOLMARK_TRUSTED_PROXIES and ' +
        'send X-Forwarded-Host.',
    );
  const { 'content-length': bytes = '0', 'transfer-encoding': isChunked } = request.headers;
  if (isChunked !== undefined || !(Number(bytes) <= MAX_OPEN_BYTES))
    throw new ProblemError(
      413,
      `Without a token, the body may have at most ${sizeName(MAX_OPEN_BYTES)}, which Content-Length announces.`,
    );
}
