import type { Confusion, FailureGroup, RunFacets } from './run-facets.js';

/** Where a result stands in its run. */
export interface Place {
  target: number;
  position: number;
  sample: number;
}

/** A case as counting reads it. */
export interface CountedCase {
  position: number;
  caseId: string;
  name: string | null;
  prompt: string;
  category: string | null;
  tags: readonly string[];
  /** The tools that it accepts, and all of them as one label, which is the last; or "(none)". */
  expected: readonly string[];
  /** These in lower case */
  accepted: ReadonlySet<string>;
}

/** Results of one case and model that are equal in all that is counted. */
export interface CountedResults {
  target: number;
  position: number;
  n: number;
  scored: boolean;
  passed: boolean;
  errorType: string;
  errorKind: string | null;
  format: string | null;
  syntax: string | null;
  category: string | null;
  /** The name of the called tool in lower case, `NO_CALL`, or null where nothing is scored. */
  called: string | null;
  overall: number | null;
  /** The index of its bin; null where there is no latency. */
  latencyBin: number | null;
}

/** One result that did not pass. */
export interface CountedFailure extends CountedResults, Place {
  /** The beginning of its evidence. */
  evidence: string | null;
}

/** In place of the name of a called tool. No tool has an empty name. */
export const NO_CALL = '';

export interface TopValues {
  /** Those with the most results first. */
  values: readonly string[];
  /** How many further ones there are. */
  others: number;
}

/** The names of tools and the values of facets that are counted one by one. */
export interface CountedValues {
  /** Tools of the suite, and those that most results were to call: as they are shown, by their name in lower case. */
  called: ReadonlyMap<string, string>;
  /** Of these, the tools of the suite. */
  suiteTools: ReadonlySet<string>;
  expected: TopValues;
  category: TopValues;
  tag: TopValues;
}

/** How each model did on a case: arrays have an entry for each. */
export interface CountedCaseFigures extends Pick<CountedCase, 'position' | 'caseId' | 'name' | 'prompt' | 'category'> {
  scored: readonly number[];
  passed: readonly number[];
  errored: readonly number[];
  overallSum: readonly number[];
  /** The shares of passed samples differ between models. */
  differs: boolean;
  /** There is a score, and no sample passed. */
  allFailed: boolean;
}

/** What the results of a group have in common. */
export type FailureKind = Pick<FailureGroup, 'error_type' | 'expected_tool' | 'called_tool' | 'argument'>;

/** A group, with the results that were drawn of it. */
export interface CountedGroup extends FailureKind {
  count: number;
  by_target: readonly number[];
  drawn: readonly Place[];
}

export interface OtherFailures {
  groups: number;
  results: number;
}

/** All that is counted once of a run, but its cases. */
export interface CountedRun {
  facets: Omit<RunFacets, 'counted_at'>;
  /** Of all models, and then of each. */
  confusions: Confusion[];
  groups: CountedGroup[];
  /** Of each error type, what is in no group. */
  otherFailures: Record<string, OtherFailures>;
  cases: number;
  differing: number;
  allFailed: number;
}
