import type { PromptCandidate } from '#lib/prompt-tune/contract';

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
