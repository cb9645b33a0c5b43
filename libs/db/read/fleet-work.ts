import type { Pool } from '../connection/pool.js';

/** How far ahead a partition of results must be there. Housekeeping makes them three months ahead. */
const PARTITIONS_AHEAD = `interval '1 month'`;

/**
 * Whether anything waits for a worker: an unfinished job, or what is to be done after one (figures, comparisons, the
 * judge's reports, the removal of what was deleted), or a partition to be made. While it is false the fleet may be
 * scaled to zero.
 */
export async function hasFleetWork(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ work: boolean }>({
    name: 'fleet_work',
    // The conditions must be identical to those of the partial indexes of the same tables.
    text: `SELECT
        EXISTS (SELECT 1 FROM job WHERE status IN ('pending', 'queued', 'running'))
        OR EXISTS (SELECT 1 FROM target WHERE finished_at IS NULL)
        OR EXISTS (SELECT 1 FROM run r WHERE (r.status = 'running' OR (r.status IN ('cancelled', 'budget_exceeded')
          AND r.score IS NULL AND nullif(r.generation, r.closed_generation) IS NOT NULL)))
        OR EXISTS (SELECT 1 FROM run_figures f JOIN run r ON r.id = f.run_id
          WHERE f.counted_at IS NULL AND f.generation = r.generation
            AND r.status NOT IN ('pending', 'queued', 'running'))
        OR EXISTS (SELECT 1 FROM run_against
          WHERE revision > least(compared_revision, points_revision) AND finished_at IS NOT NULL)
        OR EXISTS (SELECT 1 FROM experiment WHERE revision > refreshed_revision OR NOT models_compared)
        OR EXISTS (SELECT 1 FROM run_to_judge)
        OR EXISTS (SELECT 1 FROM purge)
        OR EXISTS (SELECT 1 FROM orchestration WHERE team_id = id)
        OR EXISTS (SELECT 1 FROM try_out WHERE lease_until < now())
        OR EXISTS (SELECT 1 FROM unnest(ARRAY['result', 'exchange', 'conversation_round', 'rescored']) AS parent
          WHERE to_regclass(parent || to_char((now() + ${PARTITIONS_AHEAD}) AT TIME ZONE 'UTC', '_YYYY_MM')) IS NULL)
        AS work`,
  });
  return rows[0]!.work;
}
