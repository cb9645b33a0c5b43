import type { CaseInput } from '#lib/contracts/case';
import type { RescoreOptions } from '#lib/contracts/rescore';

/** The case with its options replaced by those of a rescore. */
export function withRescoreOptions(
  input: CaseInput,
  { param_scoring, scoring_config }: Pick<RescoreOptions, 'param_scoring' | 'scoring_config'>,
): CaseInput {
  return {
    ...input,
    ...(param_scoring && { param_scoring }),
    ...(scoring_config && {
      scoring_config,
      ...(input.expected_calls && {
        expected_calls: input.expected_calls.map((call) => ({ ...call, scoring_config })),
      }),
    }),
  };
}
