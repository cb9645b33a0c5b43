import type { CountedGroup, FailureKind, OtherFailures, Place } from '#lib/contracts/counted';
import { MAX_FAILURE_GROUPS } from '#lib/contracts/run-facets';
import { Reservoir } from './reservoir.js';

interface Counting {
  kind: FailureKind;
  count: number;
  byTarget: Int32Array;
  drawn: Reservoir;
}

/** Maximum number of kinds counted separately. If a run has more, the rare ones are counted together. */
const MAX_KINDS = 10_000;

/** Groups of results that did not pass in the same way. */
export class FailureCounts {
  readonly #groups = new Map<string, Counting>();
  readonly #others = new Map<string, OtherFailures>();

  constructor(
    readonly targets: number,
    readonly maxKinds = MAX_KINDS,
  ) {}

  add(kind: FailureKind, place: Place): void {
    const key = JSON.stringify([kind.error_type, kind.expected_tool, kind.called_tool, kind.argument]);
    let group = this.#groups.get(key);
    if (!group) {
      group = { kind, count: 0, byTarget: new Int32Array(this.targets), drawn: new Reservoir() };
      this.#groups.set(key, group);
      if (this.#groups.size > this.maxKinds) this.#keepLargest(this.maxKinds / 2, key);
    }
    group.count++;
    group.byTarget[place.target]!++;
    group.drawn.add(place);
  }

  /** The largest groups of each error type, largest first. */
  finish(): { groups: CountedGroup[]; others: Record<string, OtherFailures> } {
    const kept = new Map<string, number>();
    const groups: CountedGroup[] = [];
    for (const { kind, count, byTarget, drawn } of this.#bySize()) {
      const n = (kept.get(kind.error_type) ?? 0) + 1;
      kept.set(kind.error_type, n);
      if (n > MAX_FAILURE_GROUPS) this.#putAway(kind.error_type, count);
      else groups.push({ ...kind, count, by_target: [...byTarget], drawn: drawn.places });
    }
    return { groups, others: Object.fromEntries(this.#others) };
  }

  #bySize(): Counting[] {
    return [...this.#groups]
      .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
      .map(([, group]) => group);
  }

  #keepLargest(most: number, newest: string): void {
    const kinds = [...this.#groups].sort(([, one], [, other]) => other.count - one.count);
    for (const [key, { kind, count }] of kinds.slice(most)) {
      if (key === newest) continue;
      this.#groups.delete(key);
      this.#putAway(kind.error_type, count);
    }
  }

  #putAway(errorType: string, results: number): void {
    const others = this.#others.get(errorType) ?? { groups: 0, results: 0 };
    this.#others.set(errorType, { groups: others.groups + 1, results: others.results + results });
  }
}
