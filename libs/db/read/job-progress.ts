/**
 * SQL of a subquery: how far the job `j` is. That of a parent is the sum over its child runs, of which it has planned
 * some that are not there yet; its detail is what one of them waits for.
 */
export const JOB_PROGRESS = `(
  SELECT coalesce(sum(c.done)::int, j.done) AS done, coalesce(sum(c.errored)::int, j.errored) AS errored,
    greatest(j.total, sum(c.total)::int) AS total,
    coalesce(j.detail, min(c.detail) FILTER (WHERE c.status IN ('pending', 'queued', 'running'))) AS detail
  FROM job c WHERE c.parent_id = j.id
)`;
