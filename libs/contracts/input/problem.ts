/** An error caused by the caller. The API's filter turns it into a problem document. */
export class ProblemError extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 422 | 429 | 503,
    detail: string,
    readonly errors?: InputError[],
    readonly retryAfterMs?: number,
  ) {
    super(detail);
  }
}

/** One fault of an input. */
export interface InputError {
  /** A JSON Pointer. */
  path: string;
  message: string;
}

export const formatInputError = ({ path, message }: InputError): string => `${path || 'The body'} ${message}`;

/** Ends third-party text with a period, so that another sentence can follow. */
export function endWithPeriod(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?]["')\]]?$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The 404 for an id that does not exist or belongs to another team; the caller cannot tell which. */
export const notFound = (what: string, id: string): ProblemError =>
  new ProblemError(404, `No ${what} with id "${id}" in this team.`);

/** The JSON Pointer (RFC 6901) of a path. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
