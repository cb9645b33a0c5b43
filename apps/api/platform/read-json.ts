import { isDeeperThan, MAX_JSON_DEPTH, parseJson, unwrapNumbers } from '#lib/contracts/json/json';
import { findJsonFault } from '#lib/contracts/json/json-fault';
import { jsonPointer, ProblemError, formatInputError } from '#lib/contracts/problem';
import { mayBeUnstorable, findUnstorable } from '#lib/contracts/json/storable';

/**
 * The JSON of a request's body, the numbers of users' data as they were written.
 * @throws ProblemError 400 saying where it stops being JSON, 422 saying where it holds what cannot be stored
 */
export function readJson(body: string, settings: (value: unknown) => unknown = unwrapNumbers): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body; // editors on Windows begin files so
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const fault = findJsonFault(text);
    throw new ProblemError(
      400,
      `The body is not JSON${fault ? ` at line ${fault.line}, column ${fault.column}` : ''}: ` +
        `${(error as Error).message}`,
    );
  }
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new ProblemError(400, `The body nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`);
  if (mayBeUnstorable(text)) refuseUnstorable(value);
  return settings(value);
}

/** @throws ProblemError 422 naming the first place that Postgres could not store */
export function refuseUnstorable(value: unknown): void {
  const found = findUnstorable(value);
  if (!found) return;
  const error = { path: jsonPointer(found.path), message: found.why };
  throw new ProblemError(422, formatInputError(error), [error]);
}
