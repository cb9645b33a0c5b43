import type { Result } from '../../results/api';
import type { StoredCase } from '../api';
import { refusalOfCalled, withCalled } from '../parts/called-expectation';
import { inputOf } from '../parts/case-value';

const MAX_NAME = 200;

/**
 * A case like that of a result, whose expectation is what the model called, if a case can expect that: its prompt or
 * conversation, category, tags and rules stay.
 * @param tools the names of the tools of the suite
 */
export function caseOfResult(
  asRun: StoredCase,
  result: Pick<Result, 'called' | 'evidence' | 'case_name'>,
  { runName, tools }: { runName: string; tools: readonly string[] },
): StoredCase {
  const input = inputOf(asRun);
  const from = ` (from ${runName})`.slice(0, MAX_NAME / 2);
  return {
    ...(refusalOfCalled(input, result) === undefined ? withCalled(input, result, tools) : input),
    name: `${(result.case_name ?? 'Case').slice(0, MAX_NAME - from.length)}${from}`,
    id: asRun.id,
    position: asRun.position,
  };
}
