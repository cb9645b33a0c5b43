import { inputFaults, MOST_FAULTS } from '#lib/contracts/input/input-faults';
import { ProblemError, sentence } from '#lib/contracts/problem';

/** What failed its schema, field by field. */
export function badInput(issues: readonly unknown[]): ProblemError {
  const errors = inputFaults(issues);
  return new ProblemError(
    400,
    errors.length === 1
      ? sentence(errors[0]!)
      : `${errors.length}${errors.length >= MOST_FAULTS ? ' or more' : ''} fields are not as they should be.`,
    errors,
  );
}
