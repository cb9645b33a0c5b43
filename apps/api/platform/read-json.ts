import { isDeeperThan, MOST_LEVELS, parseJson } from '#lib/contracts/json/json';
import { jsonFault } from '#lib/contracts/json/json-fault';
import { maybeUnstorable, unstorable } from '#lib/contracts/json/storable';
import { pointer, ProblemError, sentence } from '#lib/contracts/problem';

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
    const fault = jsonFault(text);
    const place = fault ? ` at line ${fault.line}, column ${fault.column}` : '';
    throw new ProblemError(400, `The body is not JSON${place}: ${(error as Error).message}`);
  }
  if (isDeeperThan(value, MOST_LEVELS))
    throw new ProblemError(400, `The body nests lists and objects deeper than ${MOST_LEVELS} levels.`);
  if (maybeUnstorable(text)) refuseUnstorable(value);
  return value;
}

/** @throws ProblemError 422 naming the first text that Postgres cannot store */
export function refuseUnstorable(value: unknown): void {
  const found = unstorable(value);
  if (!found) return;
  const error = { path: pointer(found.path), message: found.why };
  throw new ProblemError(422, sentence(error), [error]);
}
