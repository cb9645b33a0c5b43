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

/** What a route says of itself to Fastify, which knows it before it reads the body. */
export interface RouteOptions {
  /** The role that it needs. Without it, reading needs a viewer and changing an editor. */
  needs?: Role;
  /** It makes a session: it takes a token in its small body, from a page of this server, and needs none before. */
  signsIn?: boolean;
  /** Its answer is not kept for an Idempotency-Key. */
  keepsNoAnswer?: boolean;
  /** Files that it takes as its body, beside JSON. */
  file?: FileBody;
  /** How large its body of JSON may be, where it is not as small as usual. */
  json?: JsonBody;
}

export interface JsonBody {
  bytes: number;
  /** What a large one is held to outside of the API's own thread. */
  schema?: LargeBodyName;
  /** The route takes a large one as a `LargeJson`. */
  isReadByRoute?: boolean;
  /** A list of it whose entries a `LargeJson` has one by one. */
  entriesOf?: string;
}

export interface FileBody {
  types: readonly string[];
  bounds: UploadBounds;
  /**
   * What tells a repeated request from another with the same Idempotency-Key: the text of the file, or its length
   * alone where the file is too large to keep.
   */
  identifiedBy: 'text' | 'length';
}

const optionsOfRoutes = new WeakMap<object, RouteOptions>();
/** Adds to the options of a route. Nest's `RouteConfig` alone would replace what another decorator said. */
const addRouteOptions =
  (options: RouteOptions): MethodDecorator =>
  (target, key, descriptor) => {
    const route = descriptor.value as object;
    optionsOfRoutes.set(route, { ...optionsOfRoutes.get(route), ...options });
    RouteConfig(optionsOfRoutes.get(route))(target, key, descriptor);
  };

export const routeOptions = (request: FastifyRequest): RouteOptions => request.routeOptions.config as RouteOptions;

/** Extensions of the OpenAPI document by which decorators speak to `openapi.ts`, which removes them. */
export const NEEDS = 'x-needs';
export const SIGNS_IN = 'x-signs-in';
export const TAKES_BYTES = 'x-takes-bytes';
export const ALSO_TAKES = 'x-also-takes';
export const ALSO_ANSWERS = 'x-also-answers';
/** The role that a route needs. */
export const Needs = (role: Role) => applyDecorators(addRouteOptions({ needs: role }), ApiExtension(NEEDS, role));

/** A repeated request is made again, whatever its Idempotency-Key. */
export const KeepsNoAnswer = () => addRouteOptions({ keepsNoAnswer: true });

/** The route that makes a session. */
export const SignsIn = () => applyDecorators(addRouteOptions({ signsIn: true }), ApiExtension(SIGNS_IN, true));

/** A body of JSON may have so many bytes. */
export const TakesUpTo = (bytes: number, schema?: z.ZodType, more: Omit<JsonBody, 'bytes' | 'schema'> = {}) =>
  applyDecorators(
    addRouteOptions({ json: { bytes, schema: schema && nameOfSchema(schema), ...more } }),
    ApiExtension(TAKES_BYTES, bytes),
  );

/**
 * The route takes files as they are. Its JSON keeps numbers as they were written, as a file does.
 * @param examples of a file, by the content types that the route takes beside JSON
 */
export const TakesFile = (examples: Record<string, string>, file: Omit<FileBody, 'types'>) =>
  applyDecorators(
    addRouteOptions({ file: { types: Object.keys(examples), ...file } }),
    ApiExtension(ALSO_TAKES, examples),
  );

/** What a route does: a title, and a sentence or two. `npm run check` refuses a route without it. */
export const About = (summary: string, description: string) => ApiOperation({ summary, description });

/**
 * Runs what a request changes in one transaction, with its audit entry, and stores the response for its
 * Idempotency-Key in the same transaction: whoever sees the effect can get the response again. Work that calls out or
 * may take long comes before it, and notifications come after it.
 */
export type Change = <Answer>(work: (client: PoolClient) => Promise<Answer>) => Promise<Answer>;

export type CallerRequest = FastifyRequest & { caller?: Caller; change?: Change };
export const Me = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<CallerRequest>().caller!,
);
export const Changes = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Change => context.switchToHttp().getRequest<CallerRequest>().change!,
);

/** Content types that a route answers with, beside JSON: an example of each. */
export const AlsoAnswers = (examples: Record<string, string>) => ApiExtension(ALSO_ANSWERS, examples);

/** What a route answers, and its problems beside those that every route may answer (`openapi.ts`). */
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
/** An id of a path. One that is not a UUID does not exist. @throws ProblemError 404 */
export function uuid(what: string, text: string): string {
  if (!UUID.test(text)) throw notFound(what, text);
  return text.toLowerCase();
}

/** The cursor of a list that is ordered by id. @throws ProblemError 400 */
export const idCursor = (cursor: string | undefined): string | undefined => cursorOf(cursor, UUID);

/** A cursor as a list gave it out. @throws ProblemError 400 when it has another form */
export function cursorOf(cursor: string | undefined, form: RegExp): string | undefined {
  if (cursor === undefined || form.test(cursor)) return cursor;
  throw new ProblemError(400, 'The cursor does not come from this list.', [
    { path: '/cursor', message: 'take it from next_cursor' },
  ]);
}
