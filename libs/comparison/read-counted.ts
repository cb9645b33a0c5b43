import type { SampleDrift } from '#lib/contracts/sample-drift';
import type { MeasuredCase, MeasuredTarget } from '#lib/db/read/case-measurements';
import type { ComparableRun, ComparableRunRepository } from '#lib/db/read/comparable-runs';
import { mergeCases } from '#lib/db/read/merge-cases';
import type { CommonCase } from './common-cases.js';
import { findDrift, type DriftTest } from './sample-drift.js';

/** A target on one side of a comparison, and the cases to read. */
interface CountedTarget {
  side: SampleDrift['side'];
  run: ComparableRun;
  name: string;
  cases: readonly Pick<CommonCase, 'a' | 'b'>[];
  /** Which of their positions is that of this run. */
  of: 'a' | 'b';
}

interface Counted {
  /** The results that count, in the order of the cases. */
  cases: MeasuredCase[];
  /** Empty, or the added samples that do not count. */
  drift: SampleDrift[];
  /** The run without them. */
  run: ComparableRun;
}

/** A target's results in these cases with the samples that were added to them, unless those differ beyond chance. */
export async function readCounted(
  runs: ComparableRunRepository,
  { side, run, name, cases, of }: CountedTarget,
  what: Pick<MeasuredTarget, 'measure' | 'tools'>,
  test: DriftTest,
): Promise<Counted> {
  const target = run.targets.find((one) => one.name === name)!;
  const positions = cases.length === run.caseCount ? undefined : cases.map((one) => one[of]);
  const parts = await runs.measureParts(run, target, { ...what, positions });
  const found = findDrift(run.parts, parts, test);
  if (!found) return { cases: mergeCases(parts), drift: [], run };
  const { kept, ...drift } = found;
  return {
    cases: mergeCases(parts.slice(0, kept)),
    drift: [{ side, target: name, ...drift }],
    run: withoutLater(run, kept),
  };
}

/** The run as it was before the drift. */
const withoutLater = (run: ComparableRun, kept: number): ComparableRun => ({
  ...run,
  parts: run.parts.slice(0, kept),
  extensions: run.extensions.slice(0, kept - 1),
});
