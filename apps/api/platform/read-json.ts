import { isDeeperThan, MAX_JSON_DEPTH, parseJson } from '#lib/contracts/json/json';
import { findJsonFault } from '#lib/contracts/json/json-fault';
import { mayBeUnstorable, findUnstorable } from '#lib/contracts/json/storable';
import { jsonPointer, ProblemError, formatInputError } from '#lib/contracts/input/problem';

/**
 * The JSON of a request's body, with numbers as they were written.
 * @throws ProblemError 400 naming the place where it stops being JSON, 422 naming the place of a text that Postgres
 *   cannot store
 */
export function readJson(body: string): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body; // Windows editors write a byte order mark.
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const fault = findJsonFault(text);
    const place = fault ? ` at line ${fault.line}, column ${fault.column}` : '';
    throw new ProblemError(400, `The body is not JSON${place}: ${(error as Error).message}`);
  }
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new ProblemError(400, `The body nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`);
  if (mayBeUnstorable(text)) refuseUnstorable(value);
  return value;
}

/** @throws ProblemError 422 naming the first text that Postgres cannot store */
export function refuseUnstorable(value: unknown): void {
  const found = findUnstorable(value);
  if (!found) return;
  const error = { path: jsonPointer(found.path), message: found.why };
  throw new ProblemError(422, formatInputError(error), [error]);
}
