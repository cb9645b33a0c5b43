import type { PromptCandidate } from '#lib/prompt-tune/contract';

/** A candidate in its place among the others. */
export interface Descendant {
  candidate: PromptCandidate;
  /** How many candidates it comes from, one after the other; 0 for the base. */
  depth: number;
  /** What was made of it and rejected. */
  rejected: PromptCandidate[];
}

/**
 * Candidates in the order of a tree that is read from the top: each is followed by what was made of it. Those of
 * several parents stand under the first of them.
 * @param candidates a beginning of the list: parents stand before children
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
