import { toInputErrors, MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { ProblemError, formatInputError } from '#lib/contracts/input/problem';

/** The problem of a request that does not match its schema, with each invalid field. */
export function badInput(issues: readonly unknown[]): ProblemError {
  const errors = toInputErrors(issues);
  return new ProblemError(
    400,
    errors.length === 1
      ? formatInputError(errors[0]!)
      : `${errors.length}${errors.length >= MAX_INPUT_ERRORS ? ' or more' : ''} fields are wrong.`,
    errors,
  );
}
