import type { GateResult as Result } from '#lib/gate/contract';
import { Mark } from '../../../ui/status';

const LOOKS: Record<Result, [word: string, shape: string, look: string]> = {
  pass: ['passed', '●', 'passed'],
  fail: ['failed', '○', 'failed'],
  inconclusive: ['inconclusive', '?', 'partial'],
  not_measured: ['not measured', '–', 'errored'],
};

/** "passed" */
export const resultWord = (result: Result): string => LOOKS[result][0];

/** A gate's result: a shape and a word. */
export function GateResult({ result }: { result: Result }) {
  const [word, shape, look] = LOOKS[result];
  return <Mark {...{ shape, look }}>{word}</Mark>;
}
