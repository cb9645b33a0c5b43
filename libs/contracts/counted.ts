import type { MissedFigure } from './values/conversations.js';
import type { Confusion, FailureGroup, RunFacets } from './run-facets.js';

/** The position of a result in its run. */
export interface Place {
  target: number;
  position: number;
  sample: number;
}

/** The fields of a case that counting needs. */
export interface CountedCase {
  position: number;
  caseId: string;
  name: string | null;
  prompt: string;
  category: string | null;
  tags: readonly string[];
  /** The accepted tools; the last entry is the label for all of them together, or "(none)". */
  expected: readonly string[];
  /** The accepted tools in lower case. */
  accepted: ReadonlySet<string>;
}

/** Results of one case and model that are equal in every counted field. */
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
  /** The name of the called tool in lower case, `NO_CALL`, or null if nothing is scored. */
  called: string | null;
  overall: number | null;
  /** The index of the latency bin; null without a latency. */
  latencyBin: number | null;
}

/** One result that did not pass. */
export interface CountedFailure extends CountedResults, Place {
  /** The start of its evidence. */
  evidence: string | null;
  /** The figures by which its conversation fell short; null for other cases. */
  missed: readonly MissedFigure[] | null;
}

/** Used as the tool name when no tool was called. No tool has an empty name. */
export const NO_CALL = '';

export interface TopValues {
  /** The values with the most results first. */
  values: readonly string[];
  /** The number of further values. */
  others: number;
}

/** The tool names and facet values that are counted individually. */
export interface CountedValues {
  /** The tools of the suite and those that most results expect: display names, keyed by lower-case name. */
  called: ReadonlyMap<string, string>;
  /** The subset that are tools of the suite. */
  suiteTools: ReadonlySet<string>;
  expected: TopValues;
  category: TopValues;
  tag: TopValues;
}

/** The results of each model on a case: arrays have one entry per model. */
export interface CountedCaseFigures extends Pick<CountedCase, 'position' | 'caseId' | 'name' | 'prompt' | 'category'> {
  scored: readonly number[];
  passed: readonly number[];
  errored: readonly number[];
  overallSum: readonly number[];
  /** The share of passed samples differs between models. */
  differs: boolean;
  /** The case has a score, but no sample passed. */
  allFailed: boolean;
  /** The variance of the models' shares of passed samples. */
  disagreement: number;
  /** The mean of the models' shares of failed samples; -1 if nothing has a score. */
  failing: number;
}

/** The fields that the results of a group share. */
export type FailureKind = Pick<FailureGroup, 'error_type' | 'expected_tool' | 'called_tool' | 'argument'>;

/** A group with a sample of its results. */
export interface CountedGroup extends FailureKind {
  count: number;
  by_target: readonly number[];
  drawn: readonly Place[];
}

export interface OtherFailures {
  groups: number;
  results: number;
}

/** The counts of a run, except for its cases. */
export interface CountedRun {
  facets: Omit<RunFacets, 'counted_at'>;
  /** For all models together, then for each model. */
  confusions: Confusion[];
  groups: CountedGroup[];
  /** Failures outside any group, by error type. */
  otherFailures: Record<string, OtherFailures>;
  cases: number;
  differing: number;
  allFailed: number;
}
