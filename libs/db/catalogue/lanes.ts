import type { Lane } from '#lib/contracts/lane';
import { RECORDED } from '#lib/contracts/recorded';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { TeamScoped } from '../team-isolation.js';
import { findOrCreateLane } from './provider-lanes.js';

/** A lane without its state in Redis. */
type StoredLane = Omit<Lane, 'now'>;
type LaneRow = Omit<StoredLane, 'limits' | 'paused_at'> & StoredLane['limits'] & { paused_at: Date | null };

const toLane = ({
  requests_per_minute,
  tokens_per_minute,
  max_concurrency,
  paused_at,
  ...lane
}: LaneRow): StoredLane => ({
  ...lane,
  limits: { requests_per_minute, tokens_per_minute, max_concurrency },
  paused_at: paused_at?.toISOString() ?? null,
});

/** Items of recorded runs scored concurrently, across all processes: each may hold a reply of megabytes. */
const RECORDED_CONCURRENCY = 64;

/** The lanes of a team that a provider uses or that have work. */
export class LaneRepository extends TeamScoped {
  /** By name. */
  list(): Promise<StoredLane[]> {
    return this.#read(null);
  }

  async find(id: string): Promise<StoredLane | undefined> {
    return (await this.#read(id))[0];
  }

  async #read(id: string | null): Promise<StoredLane[]> {
    const { rows } = await this.db.query<LaneRow>(
      `WITH used AS (
         SELECT p.lane_id, p.key FROM provider p WHERE p.team_id = $1
         UNION
         SELECT m.lane_id, p.key FROM provider p JOIN model m ON m.provider_id = p.id
           WHERE p.team_id = $1 AND m.lane_id IS NOT NULL
       )
       SELECT l.id, l.name, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at,
         ARRAY(SELECT key FROM used u WHERE u.lane_id = l.id ORDER BY key) AS providers, f.in_flight, f.waiting,
         (SELECT coalesce(sum(t.n - t.settled), 0)::int FROM target t JOIN run r ON r.id = t.run_id
           WHERE t.lane_id = l.id AND t.finished_at IS NULL AND r.status IN ('queued', 'running')) AS backlog
       FROM lane l CROSS JOIN LATERAL (
         SELECT count(*)::int AS in_flight, count(*) FILTER (WHERE worker IS NULL)::int AS waiting
         FROM in_flight i WHERE ${LANE_OF_ITEM} = l.id
       ) f
       WHERE l.team_id = $1 AND ($2::uuid IS NULL OR l.id = $2)
         AND (l.id IN (SELECT lane_id FROM used) OR f.in_flight > 0
           OR EXISTS (SELECT 1 FROM target t WHERE t.lane_id = l.id AND t.finished_at IS NULL))
       ORDER BY l.name, l.id`,
      [this.teamId, id],
    );
    return rows.map(toLane);
  }

  /** @returns whether it was paused; undefined if the team has no such lane */
  async setPaused(id: string, paused: boolean): Promise<boolean | undefined> {
    const { rows } = await this.db.query<{ wasPaused: boolean }>(
      `WITH old AS (SELECT id, paused_at FROM lane WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE)
       UPDATE lane SET paused_at = CASE WHEN $3 THEN coalesce(old.paused_at, now()) END
       FROM old WHERE lane.id = old.id RETURNING old.paused_at IS NOT NULL AS "wasPaused"`,
      [id, this.teamId, paused],
    );
    return rows[0]?.wasPaused;
  }

  /**
   * The lane of the team's recorded replies, created if missing. It asks no model and has no rate limits. Without work
   * it is removed like any lane that no provider uses.
   */
  ensureRecordedLane(): Promise<string> {
    return findOrCreateLane(this.db, this.teamId, RECORDED, RECORDED, RECORDED_CONCURRENCY);
  }
}
