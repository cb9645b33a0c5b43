import type { CaseInput } from '#lib/contracts/case';
import type { Result } from '#lib/contracts/result';
import type { Verdict } from '#lib/contracts/verdict';
import { explain } from './explain.js';

const UNMATCHED =
  'This version of the suite does not judge the reply: it asks something else, or expects a call that the chain did ' +
  'not get to. The result counts in no figure of the rescore.';

const NO_SCORE = 'The item has no score and counts in no average.';

/** Explains the verdict on a result, or why it has none. */
export function explainResult({
  result,
  input,
  abstention,
}: {
  result: Result;
  input: CaseInput;
  abstention: boolean;
}): string[] {
  if (result.unmatched) return [UNMATCHED];
  if (result.error) {
    const { kind, message } = result.error;
    // Models did answer in a conversation that its rules broke.
    return [kind === 'conversation' ? message : `No model answered: ${message}`, NO_SCORE];
  }
  return explain({ ...result, ...result.evidence?.chain, abstention } as unknown as Verdict, input);
}
