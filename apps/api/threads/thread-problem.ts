import { ProblemError, type InputError } from '#lib/contracts/input/problem';

/** A problem that was thrown in a thread has lost its class on the way. Other errors stay as they are. */
export function problemOfThread(error: unknown): Error {
  const { status, message, errors, retryAfterMs } = error as ProblemError;
  return typeof status === 'number'
    ? new ProblemError(status, message, errors as InputError[] | undefined, retryAfterMs)
    : (error as Error);
}
