import type { CaseInput } from '#lib/contracts/case';
import type { ScoringConfig } from '#lib/contracts/scoring-config';

/** Whether any part of a case is compared by meaning, which requires the team to have an embedding model. */
export const isSemantic = (
  input: Pick<CaseInput, 'param_scoring' | 'scoring_config' | 'expected_calls' | 'conversation'>,
): boolean =>
  input.param_scoring === 'semantic' ||
  [input, ...(input.expected_calls ?? []), ...(input.conversation?.goal.calls ?? [])].some(
    ({ scoring_config: config }) => config && modesOf(config).includes('semantic'),
  );

const modesOf = ({ mode, params }: ScoringConfig) => [mode, ...Object.values(params ?? {}).map((rule) => rule.mode)];
