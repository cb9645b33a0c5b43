import { drawWith } from '#lib/tuning/draw';
import { SAME_SCORE } from './pareto.js';

/** A candidate and its parents. */
export interface Lineage {
  id: number;
  parents: readonly number[];
  /** Texts by component; all candidates have the same components. */
  components: Readonly<Record<string, string>>;
  /** The mean on the select cases. */
  score: number;
}

export interface Merge {
  /** The smaller id first. */
  parents: [number, number];
  components: Record<string, string>;
}

/** Pairs are formed from at most this many members of the front, the best ones. */
const MAX_MERGED = 100;

/**
 * Merges the changes of two candidates of the front since a common ancestor. Neither candidate is an ancestor of the
 * other, and the ancestor is no better than either; the latest such ancestor is used. Each component is taken from the
 * candidate that changed it, or from the better one (on a tie, the earlier) when both did. Pairs whose merge would
 * equal one of them are skipped.
 * @param all all candidates by id, ancestors have smaller ids than their descendants
 * @param tried pairs that were merged before, "a+b" with a < b
 * @param random gives numbers in [0, 1) that choose among the pairs
 * @returns undefined when there is no such pair
 */
export function proposeMerge(
  front: readonly number[],
  all: ReadonlyMap<number, Lineage>,
  tried: ReadonlySet<string>,
  random: () => number,
): Merge | undefined {
  const members = front
    .flatMap((id) => all.get(id) ?? [])
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, MAX_MERGED)
    .sort((a, b) => a.id - b.id);
  const ancestors = new Map(members.map((member) => [member.id, ancestorsOf(member, all)]));
  const pairs = members.flatMap((a, n) => members.slice(n + 1).map((b): [Lineage, Lineage] => [a, b]));
  for (const [a, b] of drawWith(random, pairs)) {
    const [ofA, ofB] = [ancestors.get(a.id)!, ancestors.get(b.id)!];
    if (tried.has(`${a.id}+${b.id}`) || ofA.has(b.id) || ofB.has(a.id)) continue;
    const most = Math.min(a.score, b.score) + SAME_SCORE;
    const common = [...ofA].filter((id) => ofB.has(id) && all.get(id)!.score <= most);
    const merged = common.length > 0 ? merge(a, b, all.get(Math.max(...common))!) : undefined;
    if (merged) return merged;
  }
  return undefined;
}

function ancestorsOf({ parents }: Lineage, all: ReadonlyMap<number, Lineage>): Set<number> {
  const found = new Set<number>();
  const left = [...parents];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const ancestor = all.get(id);
    if (!ancestor || found.has(id)) continue;
    found.add(id);
    left.push(...ancestor.parents);
  }
  return found;
}

/** @param a the earlier one */
function merge(a: Lineage, b: Lineage, ancestor: Lineage): Merge | undefined {
  const better = b.score > a.score + SAME_SCORE ? b : a;
  const keys = Object.keys(ancestor.components);
  const components = Object.fromEntries(
    keys.map((key) => {
      const [before, ofA, ofB] = [ancestor, a, b].map((candidate) => candidate.components[key]!) as [
        string,
        string,
        string,
      ];
      return [key, ofA === before ? ofB : ofB === before ? ofA : better.components[key]!];
    }),
  );
  const isOneOfThem = [a, b].some((parent) => keys.every((key) => parent.components[key] === components[key]));
  return isOneOfThem ? undefined : { parents: [a.id, b.id], components };
}

/**
 * Select cases to try a merge on: in rotation, one that the first parent wins, one that the second wins, and one where
 * they tie, while available.
 * @param a the scores of the first parent; `b` has those of the second on the same cases
 * @param draw gives numbers in [0, 1)
 * @returns `count` different positions in `a`, or all when there are fewer
 */
export function mergeCases(a: Float64Array, b: Float64Array, draw: () => number, count = 5): number[] {
  const groups: number[][] = [[], [], []];
  a.forEach((score, n) => {
    const ahead = score - b[n]!;
    groups[ahead > SAME_SCORE ? 0 : ahead < -SAME_SCORE ? 1 : 2]!.push(n);
  });
  const drawn = groups.map((group) => drawWith(draw, group));
  const turns = Math.max(...groups.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => drawn.flatMap((group) => group.slice(turn, turn + 1)))
    .flat()
    .slice(0, count);
}
