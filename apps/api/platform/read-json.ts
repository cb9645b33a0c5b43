import { isDeeperThan, MOST_LEVELS, parseJson, plainNumbers } from '#lib/contracts/json/json';
import { jsonFault } from '#lib/contracts/json/json-fault';
import { pointer, ProblemError, sentence } from '#lib/contracts/problem';
import { maybeUnstorable, unstorable } from '#lib/contracts/json/storable';

/**
 * The JSON of a request's body, the numbers of users' data as they were written.
 * @throws ProblemError 400 saying where it stops being JSON, 422 saying where it holds what cannot be stored
 */
export function readJson(body: string, settings: (value: unknown) => unknown = plainNumbers): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body; // editors on Windows begin files so
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const fault = jsonFault(text);
    throw new ProblemError(
      400,
      `The body is not JSON${fault ? ` at line ${fault.line}, column ${fault.column}` : ''}: ` +
        `${(error as Error).message}`,
    );
  }
  if (isDeeperThan(value, MOST_LEVELS))
    throw new ProblemError(400, `The body nests lists and objects deeper than ${MOST_LEVELS} levels.`);
  if (maybeUnstorable(text)) refuseUnstorable(value);
  return settings(value);
}

/** @throws ProblemError 422 naming the first place that Postgres could not store */
export function refuseUnstorable(value: unknown): void {
  const found = unstorable(value);
  if (!found) return;
  const error = { path: pointer(found.path), message: found.why };
  throw new ProblemError(422, sentence(error), [error]);
}
