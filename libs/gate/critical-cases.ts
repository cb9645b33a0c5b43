import type { MeasuredCase } from '#lib/db/read/case-measurements';
import type { ComparableRun, ComparableRunRepository, TaggedCase } from '#lib/db/read/comparable-runs';
import { parseCase } from '#lib/db/read/pinned-cases';
import type { CommonCase } from '#lib/comparison/common-cases';
import { MAX_CRITICAL_CASES, type CriticalCase } from './contract.js';
import { CONFIRMING_SAMPLES } from './decide-gate.js';

/** A case that always passed in the baseline and never passes in the run, with its position in each run's version. */
export interface BrokenCase {
  a: number;
  b: number;
  caseId: string;
  samples: [number, number];
  confirmed: boolean;
}

/**
 * The critical cases that broke, confirmed ones first. A case whose samples in the run all errored also looks broken,
 * but is not confirmed.
 * @param passes by pass or fail: the baseline's results on the critical cases, and the run's on all cases
 */
export function findBroken(
  critical: ReadonlyMap<number, TaggedCase>,
  common: readonly Pick<CommonCase, 'a' | 'b'>[],
  passes: { a: readonly MeasuredCase[]; b: readonly MeasuredCase[] },
): BrokenCase[] {
  const [inA, inB] = [passes.a, passes.b].map((cases) => new Map(cases.map((one) => [one.position, one]))) as [
    Map<number, MeasuredCase>,
    Map<number, MeasuredCase>,
  ];
  const broken = common.flatMap(({ a, b }): BrokenCase[] => {
    const tagged = critical.get(b);
    const [before, after] = [inA.get(a), inB.get(b)];
    if (!tagged || !before?.scored || before.passed < before.scored || after?.passed) return [];
    const samples: [number, number] = [before.scored, after?.scored ?? 0];
    return [{ a, b, caseId: tagged.caseId, samples, confirmed: Math.min(...samples) >= CONFIRMING_SAMPLES }];
  });
  return broken.sort((one, other) => Number(other.confirmed) - Number(one.confirmed) || one.b - other.b);
}

/** The broken cases as the answer lists them, with names, up to the maximum of an answer. */
export async function nameBroken(
  runs: ComparableRunRepository,
  run: ComparableRun,
  broken: readonly BrokenCase[],
): Promise<CriticalCase[]> {
  const shown = broken.slice(0, MAX_CRITICAL_CASES);
  const names = new Map<number, string | null>();
  const positions = shown.map(({ b }) => b).sort((a, b) => a - b);
  if (positions.length > 0)
    for await (const page of runs.readCases(run, positions))
      for (const { position, body } of page) names.set(position, parseCase(body).name ?? null);
  return shown.map(({ b: position, caseId, samples, confirmed }) => ({
    case_id: caseId,
    case_name: names.get(position) ?? null,
    position,
    samples,
    confirmed,
  }));
}
