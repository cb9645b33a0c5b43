import type { Verdict } from '#lib/contracts/verdict';
import type { ResultDetails } from '#lib/db/read/results';
import { explain } from '#lib/scoring/house/explain';

/** The verdict on a result in plain sentences, or why it has none. */
export function explanationOf({
  result,
  input,
  abstention,
}: Pick<ResultDetails, 'result' | 'input' | 'abstention'>): string[] {
  if (result.error)
    return [`No model answered: ${result.error.message}`, 'The item has no score and counts in no average.'];
  return explain({ ...result, ...result.evidence?.chain, abstention } as unknown as Verdict, input);
}
