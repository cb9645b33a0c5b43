import type { Run } from '#lib/contracts/run';

/** The newest of these runs, which are in that order already, of each suite; of so many suites. */
export function newestOfSuites<Of extends Pick<Run, 'suite' | 'summaries'>>(runs: readonly Of[], suites: number): Of[] {
  const newest = new Map<string, Of>();
  for (const run of runs) {
    if (run.summaries.length > 0 && !newest.has(run.suite.id)) newest.set(run.suite.id, run);
    if (newest.size === suites) break;
  }
  return [...newest.values()];
}
