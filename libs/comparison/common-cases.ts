import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { CasesOfRun } from '#lib/db/read/cases-of-run';
import type { CaseHead, CasePlaces, ComparableRun, ComparableRunRepository } from '#lib/db/read/comparable-runs';
import { parseCase } from '#lib/db/read/pinned-cases';
import { mergeConversation } from '#lib/scoring/conversation/merge';
import { contentOf, questionOf } from './case-content.js';
import { NONE } from './call-counts.js';
import { matchCases, type KeyedCase } from './match-cases.js';

/** A case that asks and expects the same in both runs, with its position in each. */
export interface CommonCase {
  a: number;
  b: number;
  category: string | null;
  /** The expected tool; "(none)" for no call. */
  tool: string;
  cluster: string | null;
}

export interface CommonCases {
  /** In the order of the second run. */
  common: CommonCase[];
  changed: number;
  changedExpectations: number;
  onlyA: number;
  onlyB: number;
}

type Places = { a: number; b: number };
type Matched = Omit<CommonCases, 'common'> & { common: Places[] };

/**
 * Finds the common cases of two runs, with the second run's attributes. It does not read the text of byte-identical
 * cases, and never holds more than a page of texts.
 */
export async function findCommonCases(
  runs: ComparableRunRepository,
  a: ComparableRun,
  b: ComparableRun,
  clusterPrefix?: string,
): Promise<CommonCases> {
  const matched = sameCases(a, b) ? matchPositions(a, b) : await matchVersions(runs, a, b);
  const heads = new Map((await runs.readHeads(b, clusterPrefix)).map((head) => [head.position, head]));
  return {
    ...matched,
    common: matched.common.map((places) => ({ ...places, ...describe(heads.get(places.b)) })),
  };
}

/** Whether cases at the same position are equal. */
const sameCases = (a: ComparableRun, b: ComparableRun): boolean =>
  a.versionId === b.versionId && !a.rescore?.hasVersion && !b.rescore?.hasVersion;

const describe = (head?: CaseHead): Omit<CommonCase, 'a' | 'b'> => ({
  category: head?.category ?? null,
  tool: head?.tool ?? NONE,
  cluster: head?.cluster ?? null,
});

const positionsOf = ({ positions, caseCount }: ComparableRun): number[] =>
  positions.length ? positions : Array.from({ length: caseCount }, (_, position) => position);

/** In one suite version, cases at the same position are equal. */
function matchPositions(a: ComparableRun, b: ComparableRun): Matched {
  const inA = new Set(positionsOf(a));
  const common = positionsOf(b).flatMap((position) => (inA.has(position) ? [{ a: position, b: position }] : []));
  return {
    common,
    changed: 0,
    changedExpectations: 0,
    onlyA: a.caseCount - common.length,
    onlyB: b.caseCount - common.length,
  };
}

/**
 * Also the cases that ask the same and expect something else (`sameQuestion`), and the positions in the first run of
 * those whose JSON is the same (`identical`).
 */
export async function matchVersions(
  runs: ComparableRunRepository,
  a: CasesOfRun,
  b: CasesOfRun,
): Promise<Matched & { sameQuestion: Places[]; identical: Set<number> }> {
  const places = await runs.pairCases(a, b);
  const rest = places.filter(({ identical }) => !identical);
  const restA = await readKeyed(runs, a, 'a', rest);
  const restB = await readKeyed(runs, b, 'b', rest);
  const { common, sameQuestion, ...counts } = matchCases(
    restA.map(({ keyed }) => keyed),
    restB.map(({ keyed }) => keyed),
  );
  const equal = places.flatMap((one) => (one.identical ? [{ a: one.a!, b: one.b! }] : []));
  const placesOf = (pair: Places): Places => ({ a: restA[pair.a]!.position, b: restB[pair.b]!.position });
  return {
    ...counts,
    common: [...equal, ...common.map(placesOf)].sort((one, other) => one.b - other.b),
    sameQuestion: sameQuestion.map(placesOf),
    identical: new Set(equal.map((pair) => pair.a)),
  };
}

/** The cases of one side by their content, read page by page. */
async function readKeyed(
  runs: ComparableRunRepository,
  run: CasesOfRun,
  side: 'a' | 'b',
  rest: readonly CasePlaces[],
): Promise<{ position: number; keyed: KeyedCase }[]> {
  const idOf = new Map(rest.flatMap((one) => (one[side] === null ? [] : [[one[side], one.caseId] as const])));
  if (idOf.size === 0) return [];
  const read: { position: number; keyed: KeyedCase }[] = [];
  const positions = [...idOf.keys()].sort((one, other) => one - other);
  const defaults = new Map<string, ConversationDefaults | null>();
  for await (const page of runs.readCases(run, positions)) {
    for (const { position, body, versionId } of page) {
      const written = parseCase(body);
      if (written.conversation && !defaults.has(versionId)) defaults.set(versionId, await runs.readDefaults(versionId));
      const input = asPlayed(written, defaults.get(versionId));
      const keyed = { caseId: idOf.get(position)!, content: contentOf(input), question: questionOf(input) };
      read.push({ position, keyed });
    }
  }
  return read;
}

/** The case with what its conversation takes from the suite. What does not fit is compared as it is written. */
function asPlayed(written: CaseInput, defaults: ConversationDefaults | null | undefined): CaseInput {
  try {
    return mergeConversation(written, defaults);
  } catch {
    return written;
  }
}
