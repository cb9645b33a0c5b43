import { applyDecorators, createParamDecorator, HttpCode, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Problem, ProblemError } from '#lib/contracts/problem';
import type { Role } from '#lib/contracts/team';
import type { Caller } from '#lib/db/teams';

export const NEEDS = 'toolmark:role';
export const OPEN = 'toolmark:open';

/** Without it, reading needs a viewer and changing an editor. */
export const Needs = (role: Role) => SetMetadata(NEEDS, role);
/** No token needed. */
export const Open = () => SetMetadata(OPEN, true);

export type CallerRequest = FastifyRequest & { caller?: Caller };
export const Me = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<CallerRequest>().caller!);

/** What a route answers, and the problems it may answer instead. */
export function Answers(status: 200 | 201 | 202 | 204, schema?: z.ZodType, ...problems: number[]) {
  return applyDecorators(
    HttpCode(status),
    ApiResponse({ status, description: schema ? 'The answer' : 'Done', ...(schema && { standardSchema: schema }) }),
    ...[...new Set([400, 401, 403, 422, ...problems])].map((problem) => ApiResponse({ status: problem, description: 'A problem', standardSchema: Problem })),
  );
}

/** An id in the path that is no UUID is an id that does not exist. */
export function uuid(what: string, text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new ProblemError(404, `No ${what} with id "${text}" in this team.`);
  return text.toLowerCase();
}

/** Cursors of lists that are ordered by id. */
export function idCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  try {
    return uuid('page', cursor);
  } catch {
    throw new ProblemError(400, 'The cursor is not one that a list answered.', [{ path: '/cursor', message: 'take it from next_cursor' }]);
  }
}
