import { fieldOf } from './pointer.js';
import { codeOfStatus, type ProblemCode } from '../problem-codes.js';

export { jsonPointer } from './pointer.js';

/** Facts of a problem or a note, for programs: ids, names and figures. */
export type Facts = Record<string, string | number | boolean | null>;

/** What a program learns about a problem, apart from its status. */
export interface ProblemFacts {
  code?: ProblemCode;
  params?: Facts;
}

/** An error caused by the caller. The API's filter turns it into a problem document. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly params: Facts;

  /** @param detail for people: no API path, no JSON Pointer. `facts.code` leads programs to a way out. */
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 422 | 429 | 503,
    detail: string,
    readonly errors?: InputError[],
    readonly retryAfterMs?: number,
    { code = codeOfStatus(status), params = {} }: ProblemFacts = {},
  ) {
    super(detail);
    this.code = code;
    this.params = params;
  }

  /** The same problem with a code of its own. */
  as(code: ProblemCode, params: Facts = {}): ProblemError {
    return new ProblemError(this.status, this.message, this.errors, this.retryAfterMs, { code, params });
  }

  /** The same problem of another place in the input. */
  at(errors: InputError[] | undefined): ProblemError {
    return new ProblemError(this.status, this.message, errors, this.retryAfterMs, this);
  }
}

/** One fault of an input. */
export interface InputError {
  /** A JSON Pointer. */
  path: string;
  message: string;
}

export const formatInputError = ({ path, message }: InputError): string =>
  `${path === '' ? 'The body' : fieldOf(path)} ${message}`;

/** Ends third-party text with a period, so that another sentence can follow. */
export function endWithPeriod(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?]["')\]]?$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The 404 for an id that does not exist or belongs to another team; the caller cannot tell which. */
export const notFound = (what: string, id: string): ProblemError =>
  new ProblemError(404, `No ${what} with id "${id}" in this team.`, undefined, undefined, { params: { what, id } });
