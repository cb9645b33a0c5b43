import type { Run } from '#lib/contracts/run';
import type { FailureGroups, RunCases } from '#lib/contracts/run-facets';
import type { ResultsSearch } from '../../../../results/address';

/** The input of hints. Counted figures are undefined until they are counted. */
export interface HintInput {
  run: Pick<Run, 'config' | 'suite' | 'summaries' | 'targets' | 'warnings'>;
  groups: FailureGroups | undefined;
  /** Cases that no model passed, among those loaded. */
  failedCases: RunCases | undefined;
}

/** Our own words, and texts by a person, a model or a provider. */
export type HintWords = readonly (string | { given: string })[];

/** What the user can do about it. */
export type Step =
  | { to: 'results'; words: string; search: ResultsSearch }
  | { to: 'failures'; words: string; group: string }
  | { to: 'result'; words: string; resultId: string }
  | { to: 'case'; words: string; caseId: string }
  | { to: 'cases'; words: string }
  | { to: 'run again'; words: string; toolChoice?: 'required' }
  | { to: 'test'; providerKey: string };

export interface Hint {
  key: string;
  words: HintWords;
  /** The result whose error has the provider's response. */
  errorOf?: string;
  steps: Step[];
}

const NAMED = 3;

/** "sim::a, sim::b and 4 more" */
export function named(models: readonly string[]): HintWords {
  const shown = models
    .slice(0, NAMED)
    .flatMap((given, index): HintWords => (index > 0 ? [', ', { given }] : [{ given }]));
  return models.length > NAMED ? [...shown, ` and ${models.length - NAMED} more`] : shown;
}

export const inPercent = (share: number): string => `${Math.round(share * 100)} %`;
