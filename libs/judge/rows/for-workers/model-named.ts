import type { Pool } from '#lib/db/connection/pool';

/** A model with what a run needs to call it. */
export interface NamedModel {
  providerId: string;
  providerKey: string;
  modelId: string;
  laneId: string;
  priced: boolean;
  params: object;
  systemPrompt: null;
}

/** @param name `provider_key::model_id` */
export async function findModelNamed(pool: Pool, teamId: string, name: string): Promise<NamedModel | undefined> {
  const { rows } = await pool.query<Omit<NamedModel, 'params' | 'systemPrompt'>>(
    `SELECT p.id AS "providerId", p.key AS "providerKey", m.model_id AS "modelId",
       coalesce(m.lane_id, p.lane_id) AS "laneId",
       m.input_cost_per_mtok IS NOT NULL AND m.output_cost_per_mtok IS NOT NULL AS priced
     FROM provider p JOIN model m ON m.provider_id = p.id
     WHERE p.team_id = $1 AND p.key || '::' || m.model_id = $2`,
    [teamId, name],
  );
  return rows[0] && { ...rows[0], params: {}, systemPrompt: null };
}
