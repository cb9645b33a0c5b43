-- A transaction of its own, and the last: it holds no lock on tables, and soon after it the trigger of run takes over.
-- Runs that ended before there was this table: workers compare the newest first.
INSERT INTO "run_against" (run_id, team_id, suite_id, models, finished_at)
SELECT r.id, r.team_id, r.suite_id, t.models, r.finished_at
FROM "run" r CROSS JOIN LATERAL (
  SELECT coalesce(md5(string_agg(provider_key || '::' || model_id || ' ' || params, E'\n'
    ORDER BY provider_key, model_id, params)), '') AS models
  FROM "target" WHERE run_id = r.id
) t
WHERE r.listed AND r.orchestration_id IS NULL AND r.extends_run_id IS NULL AND r.finished_at IS NOT NULL
  AND (r.status = 'completed' OR r.status IN ('cancelled', 'budget_exceeded') AND r.score IS NOT NULL)
ON CONFLICT DO NOTHING;
