import { limitOf } from '../catalogue/quotas.js';

/**
 * SQL: the pending jobs whose turn it is, with their users and teams: the oldest of each user while fewer of the user's
 * run than the team allows, and of those the oldest of the team while fewer of the team's run than its quota allows. So
 * nobody's jobs keep those of others from starting at all. Child runs are not among them: their parent has a slot.
 * @param condition SQL about the jobs of the teams that are asked about
 */
export const jobTurns = (condition: string): string => `
  WITH under_way AS MATERIALIZED (
    SELECT team_id, user_id, id, status = 'pending' AS waits FROM job
    WHERE status IN ('pending', 'queued', 'running') AND parent_id IS NULL AND ${condition}
  ), running_of_user AS (
    SELECT user_id, count(*) AS n FROM under_way WHERE NOT waits GROUP BY 1
  ), running_of_team AS (
    SELECT team_id, count(*) AS n FROM under_way WHERE NOT waits GROUP BY 1
  ), waiting AS (
    SELECT team_id, user_id, id, row_number() OVER (PARTITION BY user_id ORDER BY id) AS place
    FROM under_way WHERE waits
  ), waiting_of_team AS (
    SELECT w.team_id, w.user_id, w.id, row_number() OVER (PARTITION BY w.team_id ORDER BY w.id) AS place
    FROM waiting w JOIN team t ON t.id = w.team_id LEFT JOIN running_of_user r ON r.user_id = w.user_id
    WHERE w.place <= t.running_jobs_per_user - coalesce(r.n, 0)
  ), team_limit AS (
    SELECT team_id, ${limitOf('w.team_id', 'running_jobs')} - coalesce((
      SELECT n FROM running_of_team r WHERE r.team_id = w.team_id
    ), 0) AS free
    FROM (SELECT DISTINCT team_id FROM waiting_of_team) w
  )
  SELECT w.id, w.user_id, w.team_id FROM waiting_of_team w JOIN team_limit USING (team_id)
  WHERE w.place <= free`;
