import { isDeeperThan, isObject, MAX_JSON_DEPTH, parseJson, unwrapNumbers } from '#lib/contracts/json/json';
import { endWithPeriod, ProblemError, formatInputError } from '#lib/contracts/input/problem';
import type { SuiteDraft } from '../source/import-source.js';

/** Reads a suite from its native JSON, or from the parsed value of an equivalent notation. */
export function readNativeSuite(body: unknown, name: string | undefined): SuiteDraft {
  const written = typeof body === 'string' ? jsonOf(body) : body;
  if (isDeeperThan(written, MAX_JSON_DEPTH))
    throw new ProblemError(400, `The file nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`);
  const value = unwrapNumbers(written);
  if (isObject(value) && (value.test_cases === undefined || Array.isArray(value.test_cases))) {
    return {
      suite: {
        ...value,
        ...(name !== undefined && { name }),
        test_cases: value.test_cases ?? [],
      } as SuiteDraft['suite'],
    };
  }
  const error = isObject(value)
    ? { path: '/test_cases', message: 'must be of type array' }
    : { path: '', message: 'must be of type object' };
  throw new ProblemError(400, formatInputError(error), [error]);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ProblemError(
      400,
      `The file is not JSON: ${endWithPeriod((error as Error).message)} For another format name it: ?format=.`,
    );
  }
}
