import type { Pool } from '../connection/pool.js';

/** How fast recent items of a lane went. */
export interface RecentPace {
  /** How long an item held its slot, in milliseconds. */
  latencyMs: number;
  /** Tokens of an item, prompt and reply; undefined where its provider does not say. */
  tokensPerItem: number | undefined;
}

/** Approximate time an item waits before its next attempt. */
const BACKOFF_MS = 4000;

/**
 * How fast recent items of these lanes went: the 95th percentile of the time for which they held their slots, without
 * waiting for the budget, and their mean tokens, over the last results of each active run. Stored replies do not count.
 * @returns by lane; lanes that are idle or have settled nothing are left out
 */
export async function readLanePaces(pool: Pool, laneIds: readonly string[]): Promise<Map<string, RecentPace>> {
  if (laneIds.length === 0) return new Map();
  const { rows } = await pool.query<{ id: string; ms: number; tokens: number | null }>({
    name: 'lane_paces',
    text: `SELECT lane.id, avg(last.prompt_tokens + coalesce(last.completion_tokens, 0))::float8 AS tokens,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY last.latency_ms + (last.attempts - 1) * ${BACKOFF_MS}) AS ms
      FROM unnest($1::uuid[]) AS lane (id)
      CROSS JOIN LATERAL (SELECT DISTINCT t.run_id, r.generation FROM target t JOIN run r ON r.id = t.run_id
        WHERE t.lane_id = lane.id AND t.active_for IS NOT NULL LIMIT 20) busy
      CROSS JOIN LATERAL (
        SELECT r.target, r.latency_ms, r.attempts, r.cached, r.prompt_tokens, r.completion_tokens FROM result r
        WHERE r.run_id = busy.run_id AND r.generation = busy.generation ORDER BY r.seq DESC LIMIT 40) last
      JOIN target t ON t.run_id = busy.run_id AND t.ordinal = last.target
      WHERE t.lane_id = lane.id AND last.latency_ms IS NOT NULL AND NOT last.cached GROUP BY lane.id`,
    values: [laneIds],
  });
  return new Map(rows.map(({ id, ms, tokens }) => [id, { latencyMs: ms, tokensPerItem: tokens ?? undefined }]));
}
