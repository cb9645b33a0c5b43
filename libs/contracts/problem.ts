import { z } from 'zod';

/** One thing wrong with an input. `path` is a JSON Pointer into the body ("" for the whole of it). */
export const InputError = z.object({ path: z.string(), message: z.string() });
export type InputError = z.infer<typeof InputError>;

export const sentence = ({ path, message }: InputError): string => `${path || 'The body'} ${message}`;

/** RFC 9457 problem details; the body of every error answer. */
export const Problem = z
  .object({ type: z.string(), title: z.string(), status: z.int(), detail: z.string(), errors: z.array(InputError).optional() })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** An error whose cause is the caller's; the API's filter turns it into a problem document. */
export class ProblemError extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 503,
    detail: string,
    readonly errors?: InputError[],
    readonly retryAfterMs?: number,
  ) {
    super(detail);
  }
}

/** The 404 for an id that does not exist or is another team's: nobody can tell which. */
export const notFound = (what: string, id: string): ProblemError => new ProblemError(404, `No ${what} with id "${id}" in this team.`);

/** The JSON Pointer (RFC 6901) of a path. */
export const pointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
