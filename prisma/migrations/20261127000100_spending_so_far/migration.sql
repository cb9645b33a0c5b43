-- What runs have cost before there were counters, on the day that each began. Runs that were deleted are not in it, and
-- the requests of a judge, of a search for prompts and of cases that were tried out belong to no suite. It is a
-- transaction of its own, so that it holds no lock of the tables that were altered before.
INSERT INTO daily_spending (team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name, results,
  requests, cost_usd)
SELECT r.team_id, (r.created_at AT TIME ZONE 'UTC')::date, r.user_id,
  CASE WHEN r.suite_id = r.suite_version_id THEN '00000000-0000-0000-0000-000000000000' ELSE r.suite_id END,
  t.provider_key, t.model_id, 0, max(CASE WHEN r.suite_id = r.suite_version_id THEN '' ELSE r.suite_name END),
  sum(t.settled), sum(t.requests), sum(t.cost_usd)
FROM run r JOIN target t ON t.run_id = r.id
WHERE t.requests > 0
GROUP BY 1, 2, 3, 4, 5, 6;
