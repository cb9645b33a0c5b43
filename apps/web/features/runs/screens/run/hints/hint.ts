import { replyFigures, type ReplyFigures } from '#lib/contracts/reply-notes';
import type { Run } from '#lib/contracts/run';
import type { FailureGroup, FailureGroups, RunCases } from '#lib/contracts/run-facets';
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

export const number = (n: number): string => n.toLocaleString('en');
export const inPercent = (share: number): string => `${Math.round(share * 100)} %`;

interface ModelsWith {
  /** "4 of 10 replies of sim::a, 2 of 10 replies of sim::b" */
  words: HintWords;
  models: string[];
  figures: ReplyFigures[];
}

/** Models with some replies of a kind, largest share first; undefined if there are none. */
export function modelsWith({ run }: HintInput, countOf: (of: ReplyFigures) => number): ModelsWith | undefined {
  const figures = run.summaries
    .map((summary) => replyFigures(summary, run.config))
    .filter((one) => countOf(one) > 0)
    .sort((one, other) => countOf(other) / other.scored - countOf(one) / one.scored);
  if (figures.length === 0) return undefined;
  const words = figures
    .slice(0, NAMED)
    .flatMap((one, index): HintWords => [
      `${index > 0 ? ', ' : ''}${number(countOf(one))} of ${number(one.scored)} replies of `,
      { given: one.target },
    ]);
  const more = figures.length - NAMED;
  return {
    words: more > 0 ? [...words, ` and replies of ${more} more`] : words,
    models: figures.map(({ target }) => target),
    figures,
  };
}

/** How many results of a failure group are of some models. */
export const countIn = ({ by_target: by }: FailureGroup, targets: readonly string[], models: readonly string[]) =>
  models.reduce((sum, model) => sum + (by[targets.indexOf(model)] ?? 0), 0);
