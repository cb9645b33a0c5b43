import { applyDecorators, createParamDecorator, HttpCode, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import type { PoolClient } from '#lib/db/connection/pool';
import type { Caller } from '#lib/db/catalogue/callers';
import { nameOfSchema, type LargeBodyName } from './large-bodies.js';
import type { UploadBounds } from './upload.js';

/** Route options that Fastify knows before it reads the body. */
export interface RouteOptions {
  /** The required role. By default, reading needs a viewer and changing an editor. */
  needs?: Role;
  /** Needs neither a token nor a session, and takes a small body only. */
  open?: OpenTo;
  /** What its body or cookie proves: a right one is never refused for the address that it comes from. */
  provesItself?: 'token' | 'signature' | 'attempt';
  /** Its answer is not stored for an Idempotency-Key. */
  keepsNoAnswer?: boolean;
  /** Files that it accepts as its body, in addition to JSON. */
  file?: FileBody;
  /** The size limit of its JSON body, if it is not the default. */
  json?: JsonBody;
}

/** Who may call a route without a token or a session: only pages of this server, or everybody. */
export type OpenTo = 'own-page' | 'everybody';

export interface JsonBody {
  bytes: number;
  /** The schema that a large one is checked against in a thread. */
  schema?: LargeBodyName;
  /** The route takes a large one as a `LargeJson`. */
  isReadByRoute?: boolean;
  /** The list whose entries a `LargeJson` provides one by one. */
  entriesOf?: string;
}

export interface FileBody {
  types: readonly string[];
  bounds: UploadBounds;
  /**
   * What distinguishes a repeated request from another with the same Idempotency-Key: the text of the file, or only its
   * length if the file is too large to keep.
   */
  identifiedBy: 'text' | 'length';
}

const optionsOfRoutes = new WeakMap<object, RouteOptions>();
/** Adds to the options of a route. Nest's `RouteConfig` alone would replace what another decorator set. */
const addRouteOptions =
  (options: RouteOptions): MethodDecorator =>
  (target, key, descriptor) => {
    const route = descriptor.value as object;
    optionsOfRoutes.set(route, { ...optionsOfRoutes.get(route), ...options });
    RouteConfig(optionsOfRoutes.get(route))(target, key, descriptor);
  };

export const routeOptions = (request: FastifyRequest): RouteOptions => request.routeOptions.config as RouteOptions;

/** OpenAPI extensions through which decorators pass information to `openapi.ts`, which removes them. */
export const NEEDS = 'x-needs';
export const OPEN = 'x-open';
export const TAKES_BYTES = 'x-takes-bytes';
export const ALSO_TAKES = 'x-also-takes';
export const ALSO_ANSWERS = 'x-also-answers';
/** The role that a route requires. */
export const Needs = (role: Role) => applyDecorators(addRouteOptions({ needs: role }), ApiExtension(NEEDS, role));

/** A repeated request is executed again, whatever its Idempotency-Key. */
export const KeepsNoAnswer = () => addRouteOptions({ keepsNoAnswer: true });

/**
 * The route needs neither a token nor a session: it is how people get one. Its requests take turns of their own, and
 * one that calls out leaves its turn (`leaveTurn`).
 */
export const Open = (to: OpenTo, provesItself?: RouteOptions['provesItself']) =>
  applyDecorators(addRouteOptions({ open: to, provesItself }), ApiExtension(OPEN, true));

/** Size limit of the JSON body, in bytes. */
export const TakesUpTo = (bytes: number, schema?: z.ZodType, more: Omit<JsonBody, 'bytes' | 'schema'> = {}) =>
  applyDecorators(
    addRouteOptions({ json: { bytes, schema: schema && nameOfSchema(schema), ...more } }),
    ApiExtension(TAKES_BYTES, bytes),
  );

/**
 * The route accepts raw files. Its JSON keeps numbers as written, like a file.
 * @param examples of a file, by the content types that the route accepts in addition to JSON
 */
export const TakesFile = (examples: Record<string, string>, file: Omit<FileBody, 'types'>) =>
  applyDecorators(
    addRouteOptions({ file: { types: Object.keys(examples), ...file } }),
    ApiExtension(ALSO_TAKES, examples),
  );

/** Describes a route: a title, and a sentence or two. `npm run check` refuses a route without it. */
export const About = (summary: string, description: string) => ApiOperation({ summary, description });

/**
 * Runs a request's changes in one transaction, with its audit entry, and stores the response for its Idempotency-Key in
 * the same transaction: once the effect is visible, the response is available too. Work that calls out or may take long
 * comes before it, and notifications come after it.
 */
export type Change = <Answer>(work: (client: PoolClient) => Promise<Answer>) => Promise<Answer>;

export type CallerRequest = FastifyRequest & { caller?: Caller; change?: Change };
export const Me = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<CallerRequest>().caller!,
);
export const Changes = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Change => context.switchToHttp().getRequest<CallerRequest>().change!,
);

/** Content types of a route's answers in addition to JSON, with an example of each. */
export const AlsoAnswers = (examples: Record<string, string>) => ApiExtension(ALSO_ANSWERS, examples);

/** The answers of a route, and its problems in addition to those common to all routes (`openapi.ts`). */
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
/** Checks an id in a path. One that is not a UUID does not exist. @throws ProblemError 404 */
export function uuid(what: string, text: string): string {
  if (!UUID.test(text)) throw notFound(what, text);
  return text.toLowerCase();
}

/** The cursor of a list that is ordered by id. @throws ProblemError 400 */
export const idCursor = (cursor: string | undefined): string | undefined => cursorOf(cursor, UUID);

/** A cursor as returned by a list. @throws ProblemError 400 when it has another form */
export function cursorOf(cursor: string | undefined, form: RegExp): string | undefined {
  if (cursor === undefined || form.test(cursor)) return cursor;
  throw new ProblemError(400, 'The cursor is not from this list.', [
    { path: '/cursor', message: 'take it from next_cursor' },
  ]).as('invalid_cursor');
}
