import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Logger } from '#lib/runtime/logger';
import { ProblemError, type InputError, type Problem } from '#lib/contracts/problem';
import { isTransient } from '#lib/db/connection/pool';
import { UnsealError } from '#lib/runtime/seal';
import { LOGGER } from './stores.js';
import { drain } from './upload.js';

/**
 * Whatever goes wrong becomes a problem document (RFC 9457). What is not the caller's fault is logged, and says no
 * details.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) readonly logger: Logger) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const answer = toProblem(error);
    if (answer.problem.status >= 500) {
      const { message, stack } = error as Error;
      this.logger.error(
        { error: message, stack, method: request.method, route: request.routeOptions?.url },
        'A request failed',
      );
    }
    if (reply.raw.headersSent) return void reply.raw.destroy();
    if (answer.problem.status === 413) await drain(request.raw);
    sendProblem(reply, answer);
  }
}

interface ProblemAnswer {
  problem: Problem;
  retryAfterMs?: number;
}

export function sendProblem(reply: FastifyReply, { problem, retryAfterMs }: ProblemAnswer): void {
  if (retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(retryAfterMs / 1000));
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  void reply.status(problem.status).header('content-type', 'application/problem+json').send(JSON.stringify(problem));
}

export function toProblem(error: unknown): ProblemAnswer {
  const problem = (status: number, detail: string, errors?: InputError[]): Problem => ({
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    ...(errors?.length && { errors: errors.slice(0, 100) }),
  });
  if (error instanceof ProblemError)
    return { problem: problem(error.status, error.message, error.errors), retryAfterMs: error.retryAfterMs };
  if (error instanceof UnsealError) return { problem: problem(409, error.message) };
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  if (
    code === 'FST_ERR_CTP_BODY_TOO_LARGE' ||
    statusCode === 413 ||
    (error instanceof HttpException && error.getStatus() === 413)
  ) {
    return { problem: problem(413, 'The body is larger than 10 MiB. Import fewer cases at a time.') };
  }
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (status === 415) return { problem: problem(415, 'Send the body as JSON, with "Content-Type: application/json".') };
  if (error instanceof HttpException && status === 404)
    return {
      problem: problem(404, `${error.message}: there is no such route. GET /openapi.json and /docs list them.`),
    };
  if (error instanceof HttpException) return { problem: problem(error.getStatus(), error.message) };
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return { problem: problem(statusCode, message ?? '') };
  // Said by Postgres directly, or by way of Prisma, which has no code of its own for it.
  if (code === '22021' || code === '22P05' || /Code: `(22021|22P05)`/.test(message ?? '')) {
    return { problem: problem(422, 'A text holds the character U+0000, which cannot be stored. Remove it.') };
  }
  if (isTransient(error))
    return {
      problem: problem(503, 'The database cannot be reached at the moment. Try again in some seconds.'),
      retryAfterMs: 5000,
    };
  return { problem: problem(500, 'Something went wrong here. The log has the details.') };
}
