import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { percent } from '../../../../ui/amounts.js';

/** "the base", "reflection on 3", "merge of 3 and 5" */
export function kindInWords({ kind, parents }: Pick<PromptCandidate, 'kind' | 'parents'>): string {
  if (kind === 'base') return 'the base';
  if (parents.length === 0) return kind;
  return `${kind} ${kind === 'reflection' ? 'on' : 'of'} ${parents.join(' and ')}`;
}

/** "71.2 %", "62.5 % on a few cases, its parent 50.0 %"; undefined until something is measured. */
export function scoreInWords({ scores }: Pick<PromptCandidate, 'scores'>): string | undefined {
  const { select, holdout, minibatch, parent } = scores;
  if (select !== null) return `${percent(select)}${holdout === null ? '' : `, held out ${percent(holdout)}`}`;
  if (minibatch === null) return undefined;
  return `${percent(minibatch)} on a few cases${parent === null ? '' : `, its parent ${percent(parent)}`}`;
}

const RANK: readonly PromptCandidate['state'][] = ['best', 'finalist', 'front'];

/** Sorts leading candidates, best first. */
export const byMerit = (one: PromptCandidate, other: PromptCandidate): number =>
  Number(other.state === 'best') - Number(one.state === 'best') ||
  (other.scores.select ?? -1) - (one.scores.select ?? -1) ||
  RANK.indexOf(one.state) - RANK.indexOf(other.state) ||
  one.candidate - other.candidate;

/** A candidate at its position in the tree. */
export interface Descendant {
  candidate: PromptCandidate;
  /** Number of ancestors in a line; 0 for the base. */
  depth: number;
  /** Its rejected children. */
  rejected: PromptCandidate[];
}

/**
 * Candidates in depth-first tree order: each is followed by its descendants. A candidate of several parents is placed
 * under the first of them.
 * @param candidates a prefix of the list: parents come before children
 */
export function lineageOf(candidates: readonly PromptCandidate[]): Descendant[] {
  const children = new Map<number | undefined, PromptCandidate[]>();
  const rejected = new Map<number | undefined, PromptCandidate[]>();
  const kept = new Set<number>();
  for (const candidate of candidates) {
    const parent = candidate.parents.find((number) => kept.has(number));
    const isRejected = candidate.state === 'rejected' && parent !== undefined;
    if (!isRejected) kept.add(candidate.candidate);
    const families = isRejected ? rejected : children;
    const siblings = families.get(parent);
    if (siblings) siblings.push(candidate);
    else families.set(parent, [candidate]);
  }
  const lineage: Descendant[] = [];
  const open = (children.get(undefined) ?? []).map((candidate) => ({ candidate, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { candidate, depth } = next;
    lineage.push({ candidate, depth, rejected: rejected.get(candidate.candidate) ?? [] });
    const own = (children.get(candidate.candidate) ?? []).map((child) => ({ candidate: child, depth: depth + 1 }));
    open.push(...own.reverse());
  }
  return lineage;
}
