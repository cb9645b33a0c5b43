import { ProblemError, formatInputError, type InputError } from '#lib/contracts/input/problem';

export const prefixed = (prefix: string, errors: InputError[]): InputError[] =>
  errors.map(({ path, message }) => ({ path: prefix + path, message }));

/** @throws ProblemError 422 with the errors, if there are any */
export function refuse(errors: InputError[]): void {
  if (errors.length === 0) return;
  throw new ProblemError(
    422,
    errors.length === 1
      ? formatInputError(errors[0]!)
      : `${errors.length} things do not fit together; nothing was saved.`,
    errors,
  );
}
