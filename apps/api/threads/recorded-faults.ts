import { MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { fieldOf } from '#lib/contracts/input/pointer';
import { ProblemError, type InputError } from '#lib/contracts/input/problem';

/** An input error with its line number. */
export const faultOf = (line: number, { path, message }: InputError): InputError => ({
  path: `/replies/${line - 1}${path}`,
  message: `Line ${line}: ${path ? `${fieldOf(path)} ` : ''}${message}`,
});

/** The problem that reports these faults, in the order of their lines. */
export function refusal(faults: readonly InputError[]): ProblemError {
  const errors = faults.toSorted((a, b) => lineOf(a) - lineOf(b)).slice(0, MAX_INPUT_ERRORS);
  const count = faults.length < MAX_INPUT_ERRORS ? String(faults.length) : `at least ${MAX_INPUT_ERRORS}`;
  const faultCount = faults.length === 1 ? '1 fault' : `${count} faults`;
  return new ProblemError(422, `The replies have ${faultCount}, and nothing was stored. ${errors[0]!.message}`, errors);
}

const lineOf = ({ path }: InputError): number => Number(path.split('/')[2]);
