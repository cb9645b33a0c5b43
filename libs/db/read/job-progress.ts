/**
 * SQL of a subquery: the progress of the job `j`. A parent has counters over its child runs, some of which are planned
 * but do not exist yet; while it is active, its detail is that of its first child job that waits for something.
 */
export const JOB_PROGRESS = `(
  SELECT coalesce(c.done, j.done) AS done, coalesce(c.errored, j.errored) AS errored,
    greatest(j.total, c.total) AS total,
    coalesce(j.detail, CASE WHEN j.status IN ('pending', 'queued', 'running') THEN (
      SELECT w.detail FROM job w
      WHERE w.parent_id = j.id AND w.status IN ('pending', 'queued', 'running') AND w.detail IS NOT NULL
      ORDER BY w.id LIMIT 1
    ) END) AS detail
  FROM (
    SELECT sum(done)::int AS done, sum(errored)::int AS errored, sum(total)::int AS total
    FROM parent_counter WHERE orchestration_id = j.result_ref::uuid AND generation = j.generation
  ) c
)`;
