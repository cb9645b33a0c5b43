import type { Experiment } from '#lib/contracts/experiment';
import type { Pool } from '#lib/db/connection/pool';

/** The experiment that an orchestration belongs to; undefined for none, also when the experiment is gone. */
export async function readExperimentOf(
  pool: Pool,
  orchestrationId: string,
): Promise<Pick<Experiment, 'id' | 'status'> | undefined> {
  const { rows } = await pool.query<Pick<Experiment, 'id' | 'status'>>(
    `SELECT e.id, e.status FROM orchestration o JOIN experiment e ON e.id = o.experiment_id AND e.team_id = o.team_id
     WHERE o.id = $1`,
    [orchestrationId],
  );
  return rows[0];
}
