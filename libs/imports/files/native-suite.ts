import { isDeeperThan, isObject, MOST_LEVELS, parseJson, plainNumbers } from '#lib/contracts/json/json';
import { ended, ProblemError, sentence } from '#lib/contracts/problem';
import type { Draft } from '../imported.js';

/** A suite as its own JSON says it, or as what was written in another notation for the same. */
export function nativeDraft(body: unknown, name: string | undefined): Draft {
  const written = typeof body === 'string' ? jsonOf(body) : body;
  if (isDeeperThan(written, MOST_LEVELS))
    throw new ProblemError(400, `The file nests lists and objects deeper than ${MOST_LEVELS} levels.`);
  const value = plainNumbers(written);
  if (isObject(value) && (value.test_cases === undefined || Array.isArray(value.test_cases))) {
    return {
      suite: { ...value, ...(name !== undefined && { name }), test_cases: value.test_cases ?? [] } as Draft['suite'],
    };
  }
  const error = isObject(value)
    ? { path: '/test_cases', message: 'must be of type array' }
    : { path: '', message: 'must be of type object' };
  throw new ProblemError(400, sentence(error), [error]);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ProblemError(
      400,
      `The file is not JSON: ${ended((error as Error).message)} For another format name it: ?format=.`,
    );
  }
}
