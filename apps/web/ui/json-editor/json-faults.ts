import { findJsonFault } from '#lib/contracts/json/json-fault';
import type { InputError } from '#lib/contracts/input/problem';
import { placeOf } from './places';

export interface Fault {
  from: number;
  to: number;
  message: string;
}

/** The position of the syntax error; otherwise the API's validation errors. */
export function faultsOf(text: string, errors: readonly InputError[], isOptional: boolean): Fault[] {
  if (text.trim() === '') return isOptional ? [] : [{ from: 0, to: text.length, message: 'A value is missing.' }];
  const fault = findJsonFault(text);
  if (!fault) return errors.map(({ path, message }) => ({ ...placeOf(text, path), message }));
  const lines = text.split('\n').slice(0, fault.line - 1);
  const at = lines.reduce((sum, line) => sum + line.length + 1, 0) + fault.column - 1;
  const from = Math.min(at, Math.max(0, text.length - 1));
  const message = `Line ${fault.line}, column ${fault.column}: this is not JSON.`;
  return [{ from, to: Math.min(from + 1, text.length), message }];
}
