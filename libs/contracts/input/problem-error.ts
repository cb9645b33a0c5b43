/** An error caused by the caller. The API's filter turns it into a problem document. Does not import zod. */
export class ProblemError extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 422 | 429 | 503,
    detail: string,
    readonly errors?: { path: string; message: string }[],
    readonly retryAfterMs?: number,
  ) {
    super(detail);
  }
}
