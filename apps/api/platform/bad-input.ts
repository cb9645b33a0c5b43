import { inputFaults, MOST_FAULTS } from '#lib/contracts/input/input-faults';
import { ProblemError, sentence } from '#lib/contracts/problem';

/** The problem of a request that does not fit its schema, with each field that is wrong. */
export function badInput(issues: readonly unknown[]): ProblemError {
  const errors = inputFaults(issues);
  return new ProblemError(
    400,
    errors.length === 1
      ? sentence(errors[0]!)
      : `${errors.length}${errors.length >= MOST_FAULTS ? ' or more' : ''} fields are wrong.`,
    errors,
  );
}
