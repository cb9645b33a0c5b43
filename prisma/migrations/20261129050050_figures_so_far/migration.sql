-- A transaction of its own, which holds no lock on the table.
-- Runs that have ended. One that the release before finishes meanwhile has neither, and comes last in these orders.
UPDATE run SET cost_usd = t.cost_usd, errored_share = t.errored_share FROM (
  SELECT run_id, sum(cost_usd) AS cost_usd, sum(errored)::float8 / nullif(sum(settled), 0) AS errored_share
  FROM target GROUP BY run_id
) t WHERE t.run_id = run.id AND run.listed AND run.finished_at IS NOT NULL;
