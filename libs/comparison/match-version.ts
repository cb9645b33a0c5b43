import { ComparableRunRepository } from '#lib/db/read/comparable-runs';
import type { Pool } from '#lib/db/connection/pool';
import { matchVersions } from './common-cases.js';

/** A case of a run that a version of its suite has in another form. */
export interface DifferingCase {
  position: number;
  /** Its position in the version; null when no case there asks the same. */
  inVersion: number | null;
}

/**
 * Finds the cases of a run in another version of the suite, as comparisons match them. A case that only expects
 * something else there is matched, too: stored replies answer the same question.
 * @returns the cases that are not the same at the same position, in order
 */
export const matchVersion = (pool: Pool, teamId: string, runId: string, versionId: string): Promise<DifferingCase[]> =>
  ComparableRunRepository.inSnapshot(pool, teamId, async (runs) => {
    const run = await runs.read(runId);
    const { common, sameQuestion, identical } = await matchVersions(runs, run, { versionId, positions: [] });
    const found = new Map([...common, ...sameQuestion].map(({ a, b }) => [a, b]));
    const positions = run.positions.length ? run.positions : Array.from({ length: run.caseCount }, (_, at) => at);
    return positions
      .filter((position) => !identical.has(position))
      .map((position) => ({ position, inVersion: found.get(position) ?? null }));
  });
