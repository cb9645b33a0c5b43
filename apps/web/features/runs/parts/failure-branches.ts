import type { FailureGroup, FailureGroups } from '#lib/contracts/run-facets';
import { count } from '../../../ui/amounts.js';
import { errorWord } from '../../results/filter-words.js';
import { argumentWords, groupWords, toolsOf } from './failure-words.js';

/** A row of the tree of failures: an error type, a pair of tools, an argument, or what is folded. */
export interface Branch {
  key: string;
  words: string;
  /** Results. */
  count: number;
  /** How many of each model; undefined where that is not known. */
  byTarget?: readonly number[];
  /** What a leaf opens. */
  group?: FailureGroup;
  children: readonly Branch[];
}

/** Failures by error type, then by tools, then by argument, the most frequent first. What is rare is folded. */
export const branchesOf = ({ items, types }: Pick<FailureGroups, 'items' | 'types'>): Branch[] =>
  types.map(({ error_type: type, count: total, other_groups: unlisted, other_results: inOthers }) => {
    const groups = items.filter((group) => group.error_type === type);
    const singles = groups.filter((group) => group.count === 1);
    const isFolding = singles.length > 1 && singles.length < groups.length;
    const shown = isFolding ? groups.filter((group) => group.count > 1) : groups;
    return {
      ...{ key: type, words: errorWord(type), count: total, byTarget: sumOf(groups) },
      children: [
        ...toolBranches(type, shown),
        ...(isFolding ? [foldOf(`${type} singles`, `${count(singles.length)} single results`, singles)] : []),
        ...(unlisted > 0 ? [restOf(type, unlisted, inOthers)] : []),
      ],
    };
  });

function toolBranches(type: string, groups: readonly FailureGroup[]): Branch[] {
  return [...Map.groupBy(groups, toolsOf)]
    .map(([tools, own]): Branch => {
      if (own.length === 1) return leafOf(own[0]!, groupWords(own[0]!));
      const children = own.map((group) => leafOf(group, argumentWords(group) ?? 'other'));
      return { ...branchOf(`${type} ${tools}`, tools, own), children };
    })
    .sort((one, other) => other.count - one.count);
}

const leafOf = (group: FailureGroup, words: string): Branch => ({
  ...{ key: group.id, words, count: group.count, byTarget: group.by_target, group, children: [] },
});

const branchOf = (key: string, words: string, groups: readonly FailureGroup[]): Omit<Branch, 'children'> => ({
  ...{ key, words, byTarget: sumOf(groups), count: groups.reduce((sum, group) => sum + group.count, 0) },
});

const foldOf = (key: string, words: string, groups: readonly FailureGroup[]): Branch => ({
  ...branchOf(key, words, groups),
  children: groups.map((group) => leafOf(group, groupWords(group))),
});

/** What the server counts and does not list: its models are not known. */
const restOf = (type: string, groups: number, results: number): Branch => ({
  ...{ key: `${type} others`, words: `in ${count(groups)} smaller groups`, count: results, children: [] },
});

const sumOf = (groups: readonly FailureGroup[]): number[] =>
  (groups[0]?.by_target ?? []).map((_, ordinal) =>
    groups.reduce((sum, { by_target: counts }) => sum + (counts[ordinal] ?? 0), 0),
  );
