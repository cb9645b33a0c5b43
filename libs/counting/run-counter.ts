import {
  NO_CALL,
  type CountedCase,
  type CountedCaseFigures,
  type CountedFailure,
  type CountedResults,
  type CountedRun,
  type CountedValues,
  type FailureKind,
} from '#lib/contracts/counted';
import { toStorable } from '#lib/contracts/json/storable';
import { TOOL_LABELS } from '#lib/contracts/values/verdicts';
import { MAX_CONFUSED, MAX_FACET_VALUES, type RunFacets } from '#lib/contracts/run-facets';
import { LATENCY_BINS, OVERALL_BINS, overallBin, type Bin } from './bins.js';
import { CaseCounts } from './case-counts.js';
import { ConfusionCounts } from './confusion-counts.js';
import { FacetCounts, OUTCOME, TargetCounts, type Outcome } from './counts.js';
import { FailureCounts } from './failure-counts.js';
import { firstWrongArgument } from './first-wrong-argument.js';

/** Maximum number of characters kept of the name of a tool or an argument. */
const MAX_LABEL = 1000;
/** Used instead of an error kind when a rescore could not score the reply. */
const NOT_SCORED = 'not_scored';

/**
 * Counts the results of a run that has ended, case by case. Its memory is bounded whatever the results contain: facet
 * values and tool names are limited to those in `values`.
 */
export class RunCounter {
  readonly #totals: TargetCounts;
  readonly #facets: Record<Facet, FacetCounts<string>>;
  readonly #latencies: FacetCounts<number>;
  readonly #overalls: FacetCounts<number>;
  readonly #confusion: ConfusionCounts;
  readonly #failures: FailureCounts;
  readonly #kept: Record<'expected' | 'category' | 'tag', ReadonlySet<string>>;
  readonly #cases = { cases: 0, differing: 0, allFailed: 0 };

  /** @param targets the names of the models */
  constructor(
    readonly targets: readonly string[],
    readonly values: CountedValues,
  ) {
    const n = targets.length;
    this.#totals = new TargetCounts(n);
    this.#facets = byFacet(() => new FacetCounts(n));
    this.#latencies = new FacetCounts(n);
    this.#overalls = new FacetCounts(n);
    const rows = values.expected.values.slice(0, MAX_CONFUSED);
    const { others } = values.expected;
    this.#confusion = new ConfusionCounts(n, rows, values.expected.values.length - rows.length + others);
    this.#failures = new FailureCounts(n);
    this.#kept = {
      expected: new Set(values.expected.values),
      category: new Set(values.category.values),
      tag: new Set(values.tag.values),
    };
  }

  /** Counts all results of one case. @returns the figures of the case; undefined when it has no results */
  addCase(
    of: CountedCase,
    passed: readonly CountedResults[],
    failures: readonly CountedFailure[],
  ): CountedCaseFigures | undefined {
    if (passed.length + failures.length === 0) return undefined;
    const counts = new CaseCounts(of, this.targets.length);
    for (const results of passed) {
      this.#add(of, results);
      counts.add(results);
    }
    for (const failure of failures) {
      this.#add(of, failure);
      counts.add(failure);
      this.#failures.add(this.#kindOf(of, failure), failure);
      for (const figure of failure.missed ?? [])
        this.#facets.missed.add(figure, failure.target, failure.scored ? OUTCOME.failed : OUTCOME.errored, failure.n);
    }
    const figures = counts.finish();
    this.#cases.cases++;
    if (figures.differs) this.#cases.differing++;
    if (figures.allFailed) this.#cases.allFailed++;
    return figures;
  }

  finish(): CountedRun {
    const { values } = this;
    const { groups, others } = this.#failures.finish();
    const uncounted: Partial<Record<Facet, number>> = {
      category: values.category.others,
      expected_tool: values.expected.others,
      tag: values.tag.others,
    };
    return {
      facets: {
        targets: [...this.targets],
        totals: this.#totals.toJSON(),
        ...byFacet((facet) => facetOf(this.#facets[facet], uncounted[facet])),
        latency_ms: trimmed(histogram(this.#latencies, LATENCY_BINS)),
        overall: histogram(this.#overalls, OVERALL_BINS),
      },
      confusions: [undefined, ...this.targets.keys()].map((target) => this.#confusion.matrix(target)),
      groups,
      otherFailures: others,
      ...this.#cases,
    };
  }

  #add(of: CountedCase, { target, n, scored, passed, ...result }: CountedResults): void {
    const fate: Outcome = scored ? (passed ? OUTCOME.passed : OUTCOME.failed) : OUTCOME.errored;
    const { category, errorType, format, syntax } = result;
    const called = result.called === null ? [] : this.#calledLabels(of, result.called);
    const count = (facet: Facet, values: readonly string[]): void => {
      for (const value of values) this.#facets[facet].add(value, target, fate, n);
    };
    this.#totals.add(target, fate, n);
    count('error_type', [errorType]);
    if (category !== null && this.#kept.category.has(category)) count('category', [category]);
    count(
      'expected_tool',
      of.expected.filter((label) => this.#kept.expected.has(label)),
    );
    count(
      'tag',
      of.tags.filter((label) => this.#kept.tag.has(label)),
    );
    count('called_tool', called);
    if (format !== null) count('format', [format]);
    if (syntax !== null) count('syntax', [syntax]);
    if (result.latencyBin !== null) this.#latencies.add(result.latencyBin, target, fate, n);
    if (result.overall !== null) this.#overalls.add(overallBin(result.overall), target, fate, n);
    if (scored) this.#confusion.add(of.expected, called, target, n);
  }

  /**
   * The filter labels that match the called tool. A tool that another case expects but the suite does not have matches
   * both by its name and as an unknown one.
   */
  #calledLabels(of: CountedCase, called: string): string[] {
    if (called === NO_CALL) return [TOOL_LABELS.none];
    const name = this.values.called.get(called);
    const labels = this.#isUnknown(of, called) ? [TOOL_LABELS.unknown as string] : [];
    return name === undefined ? labels : [...labels, name];
  }

  #isUnknown = (of: CountedCase, called: string): boolean =>
    !this.values.suiteTools.has(called) && !of.accepted.has(called);

  #kindOf(of: CountedCase, { errorType, errorKind, called, evidence }: CountedFailure): FailureKind {
    const argument = evidence === null ? null : firstWrongArgument(evidence);
    return {
      error_type: errorType as FailureKind['error_type'],
      expected_tool: label(of.expected.at(-1)!),
      called_tool: label(called === null ? (errorKind ?? NOT_SCORED) : this.#shownCall(of, called)),
      argument: argument === null ? null : label(argument),
    };
  }

  #shownCall(of: CountedCase, called: string): string {
    if (called === NO_CALL) return TOOL_LABELS.none;
    return this.#isUnknown(of, called) ? TOOL_LABELS.unknown : (this.values.called.get(called) ?? called);
  }
}

const FACETS = ['error_type', 'category', 'expected_tool', 'called_tool', 'format', 'syntax', 'missed', 'tag'] as const;
type Facet = (typeof FACETS)[number];
const byFacet = <Value>(make: (facet: Facet) => Value): Record<Facet, Value> =>
  Object.fromEntries(FACETS.map((facet) => [facet, make(facet)])) as Record<Facet, Value>;

/** The label of a group, truncated and made storable in Postgres. */
const label = (text: string): string => toStorable(text.slice(0, MAX_LABEL));

function facetOf(counts: FacetCounts<string>, uncounted = 0): RunFacets['category'] {
  const all = counts.byTotal();
  return {
    values: all.slice(0, MAX_FACET_VALUES).map(({ value, counts }) => ({ value, by_target: counts.toJSON() })),
    others: Math.max(0, all.length - MAX_FACET_VALUES) + uncounted,
  };
}

const histogram = (counts: FacetCounts<number>, bins: readonly Bin[]): RunFacets['overall'] =>
  bins.map((bin, index) => ({ ...bin, by_target: counts.get(index).toJSON() }));

/** Removes empty bins at both ends. */
function trimmed(bins: RunFacets['latency_ms']): RunFacets['latency_ms'] {
  const isFilled = ({ by_target }: (typeof bins)[number]): boolean => by_target.some((one) => one.some((n) => n > 0));
  return bins.slice(Math.max(0, bins.findIndex(isFilled)), bins.findLastIndex(isFilled) + 1);
}
