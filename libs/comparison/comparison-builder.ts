import { noted, type Note } from '#lib/contracts/note';
import type { Change, ComparedRun, ComparedTarget, Comparison, Estimate, Outcomes } from '#lib/contracts/comparison';
import { holm } from '#lib/scoring/statistics/holm';
import { mcnemarExact, mcnemarMidP, newcombePaired } from '#lib/scoring/statistics/proportions';
import type { SampleDrift } from '#lib/contracts/sample-drift';
import type { CaseSums } from './case-sums.js';
import { bareEstimate, conclude, sumsOf } from './estimate.js';
import { measureDifference, plainInterval, type Figures } from './figures.js';
import type { PairedCase, TargetPair } from './measurements.js';
import { noteOnErrors, noteOnGroups, notesOnReplies } from './notes.js';
import { countOutcomes, noOutcomes } from './outcomes.js';
import { noteOnDrift } from './sample-drift.js';
import type { ReplyCounts } from './side-totals.js';

/** The fields of a comparison that are known before its results are read. */
export interface ComparisonFrame {
  a: Omit<ComparedRun, 'errored_share'>;
  b: Omit<ComparedRun, 'errored_share'>;
  what_changed: Change[];
  notes: Note[];
  cases: Omit<Comparison['cases'], 'dropped_errored'>;
  measure: string;
  margin: number;
  maxErroredShare: number;
  /** What sentences call the runs, if not "the baseline" and "the new run". */
  sides?: readonly [a: string, b: string] | undefined;
  /** One of the runs is unfinished: there is no verdict, regardless of what is added. */
  running: boolean;
}

/** How often a tool was called by expected tool, in the scored samples of a pair of targets. */
export type Confusion = Comparison['confusion'][number];

/** The measurements of a pair of targets. */
export interface PairFigures {
  figures: Figures;
  outcomes: Outcomes;
}

type MeasuredTarget = Omit<ComparedTarget, 'estimate' | 'p_holm'> & PairFigures;

const MAX_CONFUSIONS = 200;
/** A provider that changed may have a drift for each of a hundred models. */
const MAX_DRIFT_NOTES = 3;
/** Maximum number of categories, and of expected tools, in one comparison: a suite may have one per case. */
const MAX_GROUPS = 500;

type Groups = readonly (readonly [name: string, cases: readonly CaseSums[]])[];

/**
 * Builds a comparison from pairs of targets that are added one by one. It keeps the figures of each pair, and a few
 * sums of each case.
 */
export class ComparisonBuilder {
  readonly #targets: MeasuredTarget[] = [];
  readonly #cases = new Map<number, CaseSums>();
  readonly #confusion = new Map<string, Confusion>();
  readonly #drift: SampleDrift[] = [];

  constructor(private readonly frame: ComparisonFrame) {}

  /** @param cases all common cases, including those without results */
  addTargets(
    pair: TargetPair,
    cases: readonly PairedCase[],
    confusion: readonly Confusion[],
    drift: readonly SampleDrift[] = [],
  ): PairFigures {
    this.#drift.push(...drift);
    const sums = cases.map(sumsOf);
    const measured = { figures: measureDifference(sums), outcomes: countOutcomes(cases) };
    this.#targets.push({
      ...pair,
      ...measured,
      ...(this.frame.measure === 'passed' ? proportionsOf(cases) : NO_PROPORTIONS),
    });
    cases.forEach((one, place) => {
      const known = this.#cases.get(one.index);
      if (known) known.add(one);
      else this.#cases.set(one.index, sums[place]!);
    });
    for (const { expected, called, a, b } of confusion) {
      const key = JSON.stringify([expected, called]);
      const counts = this.#confusion.get(key) ?? { expected, called, a: 0, b: 0 };
      counts.a += a;
      counts.b += b;
      this.#confusion.set(key, counts);
    }
    return measured;
  }

  /** @param totals over all pairs of targets */
  finish(
    totals: Pick<Comparison, 'cost' | 'latency_p50_ms'>,
    replies?: { a: ReplyCounts; b: ReplyCounts },
  ): Comparison {
    const cases = [...this.#cases.values()];
    const figures = this.#targets.length === 1 ? this.#targets[0]!.figures : measureDifference(cases);
    const outcomes = sumOutcomes(this.#targets.map((target) => target.outcomes));
    const all = conclude(figures, outcomes, {
      ...this.frame,
      obstacle: this.#obstacle(),
      subject: { pairs: this.#targets, amongOthers: false, sides: this.frame.sides },
    });
    const byCategory = groupBy(cases, (one) => one.of.category);
    const byTool = groupBy(cases, (one) => one.of.tool);
    return {
      a: { ...this.frame.a, errored_share: figures.erroredShares[0] },
      b: { ...this.frame.b, errored_share: figures.erroredShares[1] },
      what_changed: this.frame.what_changed,
      ...(this.#drift.length > 0 && { drift: this.#drift }),
      ...noted([
        ...this.#drift.slice(0, MAX_DRIFT_NOTES).map(noteOnDrift),
        ...this.frame.notes,
        ...noteOnErrors(all, { a: this.frame.a.id, b: this.frame.b.id }),
        ...(replies ? notesOnReplies(replies) : []),
        ...noteOnGroups('categories', byCategory.length, MAX_GROUPS),
        ...noteOnGroups('expected tools', byTool.length, MAX_GROUPS),
      ]),
      cases: { ...this.frame.cases, dropped_errored: cases.filter(isDropped).length },
      all,
      targets: this.#finishTargets(),
      categories: this.#estimate(byCategory).map(([category, estimate]) => ({ category, estimate })),
      tools: this.#estimate(byTool).map(([tool, estimate]) => ({ tool, estimate })),
      outcomes,
      confusion: this.#mostConfused(),
      ...totals,
    };
  }

  #obstacle(): 'running' | 'no_common_targets' | undefined {
    if (this.frame.running) return 'running';
    return this.#targets.length === 0 && this.frame.cases.common > 0 ? 'no_common_targets' : undefined;
  }

  #finishTargets(): ComparedTarget[] {
    const family = this.#targets.flatMap(({ figures: { p } }) => (p === null ? [] : [p]));
    const corrected = holm(family).values();
    return this.#targets.map(({ figures, ...target }) => {
      const p_holm = figures.p === null ? null : corrected.next().value!;
      const estimate = conclude(figures, target.outcomes, {
        ...this.frame,
        obstacle: this.#obstacle(),
        holm: p_holm === null ? undefined : { p: p_holm, targets: family.length },
        subject: { pairs: [target], amongOthers: this.#targets.length > 1, sides: this.frame.sides },
      });
      return { ...target, estimate, p_holm };
    });
  }

  /** The groups with the most cases, sorted by name. */
  #estimate(groups: Groups): [string, Estimate][] {
    return groups
      .toSorted(([, a], [, b]) => b.length - a.length)
      .slice(0, MAX_GROUPS)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, group]) => [name, bareEstimate(measureDifference(group), this.frame)]);
  }

  #mostConfused(): Confusion[] {
    const times = ({ a, b }: Confusion): number => a + b;
    return [...this.#confusion.values()]
      .sort((x, y) => times(y) - times(x) || (x.expected + x.called < y.expected + y.called ? -1 : 1))
      .slice(0, MAX_CONFUSIONS);
  }
}

function groupBy(cases: readonly CaseSums[], nameOf: (one: CaseSums) => string | null): Groups {
  const groups = new Map<string, CaseSums[]>();
  for (const one of cases) {
    const name = nameOf(one);
    if (name === null) continue;
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return [...groups];
}

/** A case that is in no pair of targets only because of errors. */
const isDropped = (one: CaseSums): boolean => one.pairs === 0 && one.erroredA + one.erroredB > 0;

function sumOutcomes(all: readonly Outcomes[]): Outcomes {
  const sum = noOutcomes();
  for (const outcomes of all)
    for (const outcome of Object.keys(sum) as (keyof Outcomes)[]) sum[outcome] += outcomes[outcome];
  return sum;
}

const NO_PROPORTIONS = { mcnemar: null, newcombe: null };

/** Pass/fail tests that other tools report. They need independent cases, each with one sample on both sides. */
function proportionsOf(cases: readonly PairedCase[]): Pick<ComparedTarget, 'mcnemar' | 'newcombe'> {
  const scored = cases.filter(({ a, b }) => a.scored > 0 && b.scored > 0);
  const isSingle = cases.every(({ a, b }) => a.scored + a.errored <= 1 && b.scored + b.errored <= 1);
  if (scored.length === 0 || !isSingle || cases.some((one) => one.cluster !== null)) return NO_PROPORTIONS;
  const count = (a: number, b: number): number =>
    scored.filter((one) => one.a.passed === a && one.b.passed === b).length;
  const [fixed, broken] = [count(0, 1), count(1, 0)];
  const { ci } = newcombePaired({ both: count(1, 1), only_a: broken, only_b: fixed, neither: count(0, 0) });
  return {
    mcnemar: { fixed, broken, p_exact: mcnemarExact(fixed, broken), p_mid: mcnemarMidP(fixed, broken) },
    newcombe: ci && plainInterval(ci),
  };
}
