import type { Run } from '#lib/contracts/run';

/** The newest run of each suite, for up to this many suites. The given runs are sorted newest first. */
export function newestRunPerSuite<Of extends Pick<Run, 'suite' | 'summaries'>>(
  runs: readonly Of[],
  suites: number,
): Of[] {
  const newest = new Map<string, Of>();
  for (const run of runs) {
    if (run.summaries.length > 0 && !newest.has(run.suite.id)) newest.set(run.suite.id, run);
    if (newest.size === suites) break;
  }
  return [...newest.values()];
}
