import { targetName } from '#lib/contracts/target-name';
import type { Pool } from '../connection/pool.js';
import { ACCESS_COLUMNS, type ProviderAccess } from './provider-access.js';
import type { LaneLimits } from '../catalogue/lane-limits.js';

/** The embedding model of a team, with the limits of its lane. */
export interface EmbeddingModel extends ProviderAccess {
  providerKey: string;
  modelId: string;
  /** `provider::model` */
  name: string;
  /** US dollars per million tokens; null when unknown. */
  costPerMtok: number | null;
  lane: LaneLimits;
}

export async function loadEmbeddingModel(pool: Pool, teamId: string): Promise<EmbeddingModel | undefined> {
  const { rows } = await pool.query<Omit<EmbeddingModel, 'lane' | 'name'> & LaneLimits>(
    `SELECT p.key AS "providerKey", m.model_id AS "modelId",
       ${ACCESS_COLUMNS},
       m.input_cost_per_mtok AS "costPerMtok",
       l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at
     FROM embedding_model e JOIN provider p ON p.id = e.provider_id
       JOIN model m ON m.provider_id = p.id AND m.model_id = e.model_id
       JOIN lane l ON l.id = coalesce(m.lane_id, p.lane_id) WHERE e.team_id = $1`,
    [teamId],
  );
  const row = rows[0];
  if (!row) return undefined;
  const { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at, ...model } = row;
  return {
    ...model,
    name: targetName(model),
    lane: { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at },
  };
}

/**
 * SQL: whether semantic comparison has a known cost for a team.
 * @param teamId SQL of its id
 */
export const embeddingCosts = (teamId: string): string =>
  'EXISTS (SELECT 1 FROM embedding_model em JOIN model emm ON emm.provider_id = em.provider_id AND ' +
  `emm.model_id = em.model_id WHERE em.team_id = ${teamId} AND emm.input_cost_per_mtok > 0)`;
