import { isDeeperThan, MAX_JSON_DEPTH, parseJson } from '#lib/contracts/json/json';
import { findJsonExcess } from '#lib/contracts/json/count-values';
import { findJsonFault } from '#lib/contracts/json/json-fault';
import { mayBeUnstorable, findUnstorable } from '#lib/contracts/json/storable';
import { jsonPointer, ProblemError, formatInputError } from '#lib/contracts/input/problem';

/**
 * Parses a request's JSON body, with numbers kept as written.
 * @throws ProblemError 400 with the position of a syntax error, 422 with the path of a text that Postgres cannot store
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
 * Checks the JSON of a large body before it is parsed.
 * @throws ProblemError 413 for too many values, 400 for too deep nesting
 */
export function refuseExcess(text: string, maxValues: number): void {
  const excess = findJsonExcess(text, { values: maxValues, depth: MAX_JSON_DEPTH });
  if (excess === 'values')
    throw new ProblemError(
      413,
      `The body has more than ${maxValues.toLocaleString('en')} values, the limit of this route. ` +
        'Send less at a time.',
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
