import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { EmbeddingSetting } from '#lib/contracts/settings';
import { ProblemError } from '#lib/contracts/problem';
import type { LaneLimits } from '../engine/dispatch-lane.js';
import type { Pool, PoolClient } from '../connection/pool.js';

export async function readEmbeddingSetting(pool: Pool, teamId: string): Promise<EmbeddingSetting> {
  const { rows } = await pool.query<{ provider_key: string; model_id: string }>(
    `SELECT p.key AS provider_key, e.model_id FROM embedding_model e JOIN provider p ON p.id = e.provider_id
      WHERE e.team_id = $1`,
    [teamId],
  );
  return rows[0] ?? { provider_key: null, model_id: null };
}

/** @throws ProblemError 422 when the provider has no such model */
export async function setEmbeddingModel(
  pool: Pool | PoolClient,
  teamId: string,
  setting: EmbeddingSetting,
): Promise<void> {
  if (setting.provider_key === null) {
    await pool.query('DELETE FROM embedding_model WHERE team_id = $1', [teamId]);
    return;
  }
  const made = await pool.query(
    `INSERT INTO embedding_model (team_id, provider_id, model_id)
     SELECT $1, p.id, m.model_id FROM provider p JOIN model m ON m.provider_id = p.id WHERE p.team_id = $1
       AND p.key = $2 AND m.model_id = $3
     ON CONFLICT (team_id) DO UPDATE SET provider_id = excluded.provider_id, model_id = excluded.model_id`,
    [teamId, setting.provider_key, setting.model_id],
  );
  if (made.rowCount === 0) {
    const name = `${setting.provider_key}::${setting.model_id}`;
    const { rows } = await pool.query<{ name: string }>(
      `SELECT p.key || '::' || m.model_id AS name FROM provider p JOIN model m ON m.provider_id = p.id
        WHERE p.team_id = $1 ORDER BY name LIMIT 1000`,
      [teamId],
    );
    throw new ProblemError(
      422,
      `No model "${name}". ${suggestNames(
        name,
        rows.map((row) => row.name),
        'the models of the team',
      )} An owner adds one with PATCH /api/providers/{key}.`,
      [{ path: '/model_id', message: 'is not a model of this provider' }],
    );
  }
}

/** The embedding model of a team, with the limits of its lane. */
export interface EmbeddingModel {
  providerId: string;
  modelId: string;
  baseUrl: string;
  sealedKey: string | null;
  /** US dollars for a million tokens; null when it is not known. */
  costPerMtok: number | null;
  lane: LaneLimits;
}

export async function loadEmbeddingModel(pool: Pool, teamId: string): Promise<EmbeddingModel | undefined> {
  const { rows } = await pool.query<Omit<EmbeddingModel, 'lane'> & LaneLimits>(
    `SELECT p.id AS "providerId", m.model_id AS "modelId", p.base_url AS "baseUrl", p.sealed_key AS "sealedKey",
      m.input_cost_per_mtok AS "costPerMtok",
       l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at
     FROM embedding_model e JOIN provider p ON p.id = e.provider_id JOIN model m ON m.provider_id = p.id
       AND m.model_id = e.model_id
       JOIN lane l ON l.id = coalesce(m.lane_id, p.lane_id) WHERE e.team_id = $1`,
    [teamId],
  );
  const row = rows[0];
  if (!row) return undefined;
  const { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at, ...model } = row;
  return { ...model, lane: { id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at } };
}

/** SQL of whether comparing by meaning costs a team something that is known. */
export const meaningCosts = (teamId: string): string =>
  'EXISTS (SELECT 1 FROM embedding_model em JOIN model emm ON emm.provider_id = em.provider_id AND ' +
  `emm.model_id = em.model_id WHERE em.team_id = ${teamId} AND emm.input_cost_per_mtok > 0)`;
