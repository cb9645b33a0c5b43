/** A case of a run, identified by what it asks and expects. */
export interface KeyedCase {
  caseId: string;
  /** What the case asks and expects: the same for equal cases of both runs (`contentOf`). */
  content: string;
  /** Only what the case asks (`questionOf`). It is used only when the content of a `caseId` changed. */
  question?: string;
}

export interface MatchedCases {
  /** Indexes into both lists, in the order of the second. */
  common: { a: number; b: number }[];
  /** Cases of both runs whose question or expectation changed. */
  changed: number;
  /** Of these, cases with the same question and a changed expectation. */
  changedExpectations: number;
  /** Indexes of these into both lists. */
  sameQuestion: { a: number; b: number }[];
  onlyA: number;
  onlyB: number;
}

/**
 * Finds the common cases of two runs: those with the same id and equal content. A case whose id the other run does not
 * have is matched by content, once, in order.
 */
export function matchCases(a: readonly KeyedCase[], b: readonly KeyedCase[]): MatchedCases {
  const byId = new Map(a.map((one, index) => [one.caseId, index]));
  const idsOfB = new Set(b.map((one) => one.caseId));
  const left = new Map<string, number[]>();
  a.forEach((one, index) => {
    if (idsOfB.has(one.caseId)) return;
    const equal = left.get(one.content);
    if (equal) equal.push(index);
    else left.set(one.content, [index]);
  });
  for (const indexes of left.values()) indexes.reverse();
  const matched: MatchedCases = {
    common: [],
    changed: 0,
    changedExpectations: 0,
    sameQuestion: [],
    onlyA: 0,
    onlyB: 0,
  };
  b.forEach((one, index) => {
    const sameId = byId.get(one.caseId);
    const found = sameId ?? left.get(one.content)?.pop();
    if (found === undefined) return void matched.onlyB++;
    if (a[found]!.content === one.content) return void matched.common.push({ a: found, b: index });
    matched.changed++;
    if (one.question !== undefined && a[found]!.question === one.question)
      matched.sameQuestion.push({ a: found, b: index });
  });
  matched.changedExpectations = matched.sameQuestion.length;
  matched.onlyA = a.length - matched.common.length - matched.changed;
  return matched;
}
