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

/** The models that their providers no longer have. */
export async function findMissingModels<Target extends { providerId: string; modelId: string }>(
  pool: Pool,
  targets: readonly Target[],
): Promise<Target[]> {
  const { rows } = await pool.query<{ ordinal: number }>(
    `SELECT u.ordinal::int FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS u(provider_id, model_id, ordinal)
     WHERE NOT EXISTS (SELECT 1 FROM model m WHERE m.provider_id = u.provider_id AND m.model_id = u.model_id)
     ORDER BY u.ordinal`,
    [targets.map(({ providerId }) => providerId), targets.map(({ modelId }) => modelId)],
  );
  return rows.map(({ ordinal }) => targets[ordinal - 1]!);
}

/** Whether the team still has this suite. */
export async function suiteExists(pool: Pool, teamId: string, suiteId: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2', [suiteId, teamId]);
  return rowCount !== 0;
}
