import { applyDecorators, createParamDecorator, HttpCode, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { notFound, ProblemError } from '#lib/contracts/problem';
import type { Role } from '#lib/contracts/team';
import type { PoolClient } from '#lib/db/connection/pool';
import type { Caller } from '#lib/db/catalogue/callers';

/** What stands with a route where Fastify knows it, which is before the body is read. */
export interface RouteNeeds {
  needs?: Role;
}
/** Where decorators leave word for `openapi.ts`. */
export const NEEDS = 'x-needs';
export const ALSO_TAKES = 'x-also-takes';
export const ALSO_ANSWERS = 'x-also-answers';
/** Without it, reading needs a viewer and changing an editor. */
export const Needs = (role: Role) =>
  applyDecorators(RouteConfig({ needs: role } satisfies RouteNeeds), ApiExtension(NEEDS, role));

/** What a route is for, in a few words and in a sentence or two. `npm run check` refuses a route without it. */
export const About = (summary: string, description: string) => ApiOperation({ summary, description });

/**
 * Does what a request changes in one transaction, with the note of who did it, and keeps the answer for its
 * Idempotency-Key there, too: whoever sees the effect can have the answer again. What calls out, or may take long,
 * comes before; doorbells are rung after it.
 */
export type Change = <Answer>(work: (client: PoolClient) => Promise<Answer>) => Promise<Answer>;

export type CallerRequest = FastifyRequest & { caller?: Caller; change?: Change };
export const Me = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<CallerRequest>().caller!,
);
export const Changes = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Change => context.switchToHttp().getRequest<CallerRequest>().change!,
);

/** Texts that a route takes as its body, or answers, beside JSON: an example of each by its content type. */
export const AlsoTakes = (examples: Record<string, string>) => ApiExtension(ALSO_TAKES, examples);
export const AlsoAnswers = (examples: Record<string, string>) => ApiExtension(ALSO_ANSWERS, examples);

/** What a route answers, and the problems it may answer instead, on top of those that any route may (`openapi.ts`). */
export function Answers(status: 200 | 201 | 202 | 204, schema?: z.ZodType, ...problems: number[]) {
  return applyDecorators(
    HttpCode(status),
    ApiResponse({
      status,
      description: schema ? (schema.description ?? 'The answer.') : 'Done.',
      ...(schema && { standardSchema: schema }),
    }),
    ...problems.map((problem) => ApiResponse({ status: problem })),
  );
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** An id in the path that is no UUID is an id that does not exist. */
export function uuid(what: string, text: string): string {
  if (!UUID.test(text)) throw notFound(what, text);
  return text.toLowerCase();
}

/** Cursors of lists that are ordered by id. */
export const idCursor = (cursor: string | undefined): string | undefined => cursorOf(cursor, UUID);

/** A cursor goes out and comes back as a text that says nothing to its users; what never went out is refused. */
export function cursorOf(cursor: string | undefined, form: RegExp): string | undefined {
  if (cursor === undefined || form.test(cursor)) return cursor;
  throw new ProblemError(400, 'The cursor is not one that this list answered.', [
    { path: '/cursor', message: 'take it from next_cursor' },
  ]);
}
