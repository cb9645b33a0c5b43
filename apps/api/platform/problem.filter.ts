import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Logger } from '#lib/runtime/logger';
import type { Problem } from '#lib/contracts/input/problem-document';
import { ProblemError, type InputError, type ProblemFacts } from '#lib/contracts/input/problem';
import { codeOfStatus } from '#lib/contracts/problem-codes';
import { isContention, isTransient } from '#lib/db/connection/pool';
import { KeyRefProblem } from '#lib/runtime/key-refs';
import { UnsealError } from '#lib/runtime/seal';
import { contentTypeOf } from './content-type.js';
import { routeOptions, type CallerRequest } from './decorators.js';
import { noteRefusal, Refusals } from './refusals.js';
import { LOGGER } from './stores.js';
import { drain } from './upload.js';

/** Postgres error codes for a text that it cannot store. */
const UNSTORABLE_CODES: ReadonlySet<unknown> = new Set(['22021', '22P05']);
const RETRY_AFTER_MS = 5000;

/**
 * Turns every error into a problem document (RFC 9457). An error that is not the caller's fault is logged, and its
 * problem has no details.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) readonly logger: Logger,
    readonly refusals: Refusals,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<CallerRequest>();
    const response = toProblem(error, request);
    noteRefusal(this.refusals, error, request);
    if (response.problem.status >= 500) {
      const { message, stack } = error as Error;
      this.logger.error(
        { request: request.id, error: message, stack, method: request.method, route: request.routeOptions?.url },
        'A request failed',
      );
    }
    if (reply.raw.headersSent) return void reply.raw.destroy();
    if (REFUSED_BODY.has(response.problem.status) && !request.raw.readableEnded) await drain(request.raw);
    if (response.problem.status === 408) void reply.header('connection', 'close');
    if (response.problem.status === 415) void reply.header('accept', typesOf(request).join(', '));
    sendProblem(reply, response);
  }
}

/** Statuses of refused bodies, which may still be arriving. */
const REFUSED_BODY: ReadonlySet<number> = new Set([400, 413, 415]);

interface ProblemResponse {
  problem: Problem;
  retryAfterMs?: number;
}

export function sendProblem(reply: FastifyReply, { problem, retryAfterMs }: ProblemResponse): void {
  if (retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(retryAfterMs / 1000));
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  void reply.status(problem.status).header('content-type', 'application/problem+json').send(JSON.stringify(problem));
}

export function toProblem(error: unknown, request?: FastifyRequest): ProblemResponse {
  if (error instanceof ProblemError)
    return { problem: problem(error.status, error.message, error), retryAfterMs: error.retryAfterMs };
  if (error instanceof UnsealError) return { problem: problem(409, error.message, { code: 'secret_unreadable' }) };
  if (error instanceof KeyRefProblem)
    return { problem: problem(409, error.message, { code: 'key_reference_unavailable' }) };
  const ofHttp = httpProblem(error, request);
  if (ofHttp) return { problem: ofHttp };
  const { code } = error as { code?: string };
  if (UNSTORABLE_CODES.has(code))
    return { problem: problem(422, 'A text holds the character U+0000, which cannot be stored. Remove it.') };
  if (isTransient(error)) {
    const why = isContention(error) ? 'Other requests are changing the same things' : 'The database is unavailable';
    return {
      problem: problem(503, `${why} at the moment. Try again in a few seconds.`),
      retryAfterMs: RETRY_AFTER_MS,
    };
  }
  return { problem: problem(500, 'Something went wrong on the server. Its log has the details.') };
}

/** The problem of an error that Nest or Fastify throws for a request. */
function httpProblem(error: unknown, request: FastifyRequest | undefined): Problem | undefined {
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  const isNest = error instanceof HttpException;
  const status = isNest ? error.getStatus() : statusCode;
  if (status === 415) return problem(415, request ? wrongType(request) : 'The content type is not supported.');
  if (isNest && status === 404)
    return problem(404, `${error.message}: no such route. The API reference at /docs lists the routes.`);
  if (isNest) return problem(error.getStatus(), error.message);
  if (typeof status === 'number' && status >= 400 && status < 500) return problem(status, message ?? '');
  return undefined;
}

const typesOf = (request: FastifyRequest): string[] => [
  'application/json',
  ...(routeOptions(request).file?.types ?? []),
];

/** Names the content types that a route accepts, and the one that was sent. */
function wrongType(request: FastifyRequest): string {
  const types = typesOf(request);
  const came = contentTypeOf(request);
  const isOfCurl = came === '' || came === 'application/x-www-form-urlencoded' || came === 'multipart/form-data';
  return [
    came ? `The body came as ${came.slice(0, MAX_TYPE)}.` : 'The body has no Content-Type.',
    types.length === 1
      ? 'Send it as JSON, with "Content-Type: application/json".'
      : `Send it as ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`,
    ...(isOfCurl ? [`With curl: -H 'Content-Type: ${types[1] ?? types[0]}' --data-binary @FILE`] : []),
  ].join(' ');
}
const MAX_TYPE = 80;

interface Facts extends ProblemFacts {
  errors?: InputError[];
}

const problem = (
  status: number,
  detail: string,
  { code = codeOfStatus(status), params = {}, errors }: Facts = {},
): Problem => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail,
  code,
  params,
  ...(errors?.length && { errors: errors.slice(0, 100) }),
});
