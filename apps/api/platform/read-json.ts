import { isDeeperThan, MAX_JSON_DEPTH, parseJson } from '#lib/contracts/json/json';
import { findJsonExcess } from '#lib/contracts/json/count-values';
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
  if (isDeeperThan(value, MAX_JSON_DEPTH)) throw tooDeep();
  if (mayBeUnstorable(text)) refuseUnstorable(value);
  return value;
}

/**
 * Looks over the JSON of a large body before it is parsed.
 * @throws ProblemError 413 when it has more values than it may, 400 when it nests deeper than it may
 */
export function refuseExcess(text: string, maxValues: number): void {
  const excess = findJsonExcess(text, { values: maxValues, depth: MAX_JSON_DEPTH });
  if (excess === 'values')
    throw new ProblemError(
      413,
      `The body has more than ${maxValues.toLocaleString('en')} values, the most that this route takes. ` +
        'Send less of it at a time.',
    );
  if (excess === 'depth') throw tooDeep();
}
const tooDeep = (): ProblemError =>
  new ProblemError(400, `The body nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`);

/** @throws ProblemError 422 naming the first text that Postgres cannot store */
export function refuseUnstorable(value: unknown): void {
  const found = findUnstorable(value);
  if (!found) return;
  const error = { path: jsonPointer(found.path), message: found.why };
  throw new ProblemError(422, formatInputError(error), [error]);
}
