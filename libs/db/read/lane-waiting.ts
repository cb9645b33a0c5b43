import { MAX_WAITING_SHOWN, type LaneWaiting } from '#lib/contracts/lane';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';

type WaitingJob = LaneWaiting['jobs'][number];
type WaitingPerson = LaneWaiting['people'][number];

/** SQL: the jobs that have unsettled items on the lane $2, with how many. Child runs count for their parent. */
const WAITING = `waiting AS (
  SELECT coalesce(o.job_id, r.job_id) AS job_id, sum(t.n - t.settled)::int AS items
  FROM target t JOIN run r ON r.id = t.run_id LEFT JOIN orchestration o ON o.id = r.orchestration_id
  WHERE t.lane_id = $2 AND t.finished_at IS NULL AND r.team_id = $1 AND r.status IN ('queued', 'running')
  GROUP BY 1
)`;

/** Who waits on the lanes of a team. */
export class LaneWaitingRepository extends TeamScoped<Pool> {
  /** @returns undefined when the team has no such lane */
  async read(laneId: string): Promise<LaneWaiting | undefined> {
    const { rows: lanes } = await this.db.query('SELECT 1 FROM lane WHERE id = $2 AND team_id = $1', [
      this.teamId,
      laneId,
    ]);
    if (lanes.length === 0) return undefined;
    const [jobs, people] = [await this.#jobs(laneId), await this.#people(laneId)];
    return {
      lane_id: laneId,
      items: jobs[0]?.all_items ?? 0,
      jobs_count: jobs[0]?.all_jobs ?? 0,
      jobs: jobs.map(({ all_items: _items, all_jobs: _jobs, since, ...job }) => ({
        ...job,
        since: since.toISOString(),
      })),
      people,
    };
  }

  async #jobs(laneId: string) {
    const { rows } = await this.db.query<
      Omit<WaitingJob, 'since'> & { since: Date; all_items: number; all_jobs: number }
    >(
      `WITH ${WAITING}, first AS (
         SELECT job_id, items, sum(items) OVER ()::int AS all_items, count(*) OVER ()::int AS all_jobs
         FROM waiting ORDER BY job_id LIMIT ${MAX_WAITING_SHOWN}
       )
       SELECT j.id AS job_id, j.type,
         CASE WHEN tried.run_id IS NULL THEN j.result_ref END AS result_ref,
         CASE WHEN j.type <> 'tool_eval' THEN (
           SELECT nullif(subject_id, id) FROM orchestration WHERE id = j.result_ref::uuid) END AS subject_ref,
         r.name, r.suite_name, u.name AS submitted_by, j.created_at AS since, f.items, f.all_items, f.all_jobs
       FROM first f JOIN job j ON j.id = f.job_id AND j.team_id = $1
         LEFT JOIN run r ON r.job_id = j.id LEFT JOIN try_out tried ON tried.run_id = r.id
         LEFT JOIN users u ON u.id = j.user_id AND u.team_id = $1
       ORDER BY j.id`,
      [this.teamId, laneId],
    );
    return rows;
  }

  async #people(laneId: string): Promise<WaitingPerson[]> {
    const { rows } = await this.db.query<WaitingPerson>(
      `WITH ${WAITING}
       SELECT u.name, count(*)::int AS jobs, sum(w.items)::int AS items
       FROM waiting w JOIN job j ON j.id = w.job_id AND j.team_id = $1
         LEFT JOIN users u ON u.id = j.user_id AND u.team_id = $1
       GROUP BY j.user_id, u.name ORDER BY items DESC, u.name LIMIT ${MAX_WAITING_SHOWN}`,
      [this.teamId, laneId],
    );
    return rows;
  }
}
