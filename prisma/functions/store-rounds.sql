-- Stores finished rounds of conversations, each once, before their next requests are sent, and counts what they cost
-- at once: for their target, their team's month and day, and the month of the token that asked for them. Settlement
-- then counts only what came after them. Parameters are columns of the batch; the n-th entries of all are one round.
--
-- As with `settle_items`, only the delivery that holds an item stores rounds of it, and locks are taken in the same
-- order. A crash is counted against a round, so that what crashed before is forgotten.
--
-- Returns which rounds of the batch were stored (numbered from 1).
CREATE OR REPLACE FUNCTION store_rounds(
  p_run uuid[], p_target int[], p_item int[], p_token bigint[], p_case int[], p_sample int[], p_round int[],
  p_attempts int[], p_prompt_tokens int[], p_completion_tokens int[], p_cache_read int[], p_cache_write_5m int[],
  p_cache_write_1h int[], p_reasoning int[], p_cost float8[], p_body bytea[]
) RETURNS TABLE (n int)
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM target t
    WHERE (t.run_id, t.ordinal) IN (
      SELECT DISTINCT u.r, u.t FROM unnest(p_run, p_target) AS u(r, t) JOIN run ON run.id = u.r
      WHERE run.status = 'running'
    )
    ORDER BY t.run_id, t.ordinal FOR NO KEY UPDATE;
  PERFORM 1 FROM in_flight f JOIN unnest(p_run, p_target, p_item, p_token) AS u(r, t, i, k)
    ON f.run_id = u.r AND f.target = u.t AND f.item = u.i AND f.token = u.k
    ORDER BY f.run_id, f.target, f.item FOR NO KEY UPDATE OF f;
  RETURN QUERY
  WITH held AS (
    UPDATE in_flight f SET crashes = 0
    FROM unnest(p_run, p_target, p_item, p_token) WITH ORDINALITY AS u(r, t, i, k, n), run
    WHERE f.run_id = u.r AND f.target = u.t AND f.item = u.i AND f.token = u.k
      AND run.id = u.r AND run.status = 'running' AND run.worker_level <= level_of_session()
    RETURNING u.n::int AS n, run.id AS run
  ), kept AS (
    INSERT INTO conversation_round (run_id, target, case_position, sample, round, body)
    SELECT h.run, p_target[h.n], p_case[h.n], p_sample[h.n], p_round[h.n], p_body[h.n] FROM held h
    ON CONFLICT DO NOTHING
    RETURNING run_id, target, case_position, sample
  ), stored AS (
    -- One that is there already was counted then: the answer of its commit was lost.
    SELECT h.n, h.run, p_target[h.n] AS target,
      CASE WHEN p_prompt_tokens[h.n] IS NOT NULL AND p_completion_tokens[h.n] IS NOT NULL THEN h.n END AS counted
    FROM held h JOIN kept k ON k.run_id = h.run AND k.target = p_target[h.n] AND k.case_position = p_case[h.n]
      AND k.sample = p_sample[h.n]
  ), sums AS (
    SELECT run, target,
      coalesce(sum(p_cost[n]), 0) AS cost,
      coalesce(sum(p_attempts[n]), 0)::int AS requests,
      coalesce(sum(p_prompt_tokens[counted]), 0) AS prompt,
      coalesce(sum(p_completion_tokens[counted]), 0) AS completion,
      coalesce(sum(p_cache_read[counted]), 0) AS cache_read,
      coalesce(sum(p_cache_write_5m[counted]), 0) AS cache_write_5m,
      coalesce(sum(p_cache_write_1h[counted]), 0) AS cache_write_1h,
      coalesce(sum(p_reasoning[counted]), 0) AS reasoning,
      coalesce(sum(p_cost[counted]), 0) AS counted_cost,
      sum(length(p_body[n])) AS bytes
    FROM stored GROUP BY run, target
  ), counted AS (
    UPDATE target t SET
      cost_usd = t.cost_usd + c.cost, requests = t.requests + c.requests,
      prompt_tokens = t.prompt_tokens + c.prompt, completion_tokens = t.completion_tokens + c.completion,
      cache_read_tokens = t.cache_read_tokens + c.cache_read,
      cache_write_5m_tokens = t.cache_write_5m_tokens + c.cache_write_5m,
      cache_write_1h_tokens = t.cache_write_1h_tokens + c.cache_write_1h,
      reasoning_tokens = t.reasoning_tokens + c.reasoning, counted_cost_usd = t.counted_cost_usd + c.counted_cost,
      exchange_bytes = t.exchange_bytes + c.bytes
    FROM sums c WHERE t.run_id = c.run AND t.ordinal = c.target
  ), spent_by_token AS (
    -- After `spent`: such statements run from the last to the first.
    INSERT INTO token_spending AS s (token_id, month, shard, cost_usd)
    SELECT r.token_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16, sum(c.cost)
    FROM sums c JOIN run r ON r.id = c.run WHERE c.cost > 0 AND r.token_id IS NOT NULL GROUP BY 1 ORDER BY 1
    ON CONFLICT (token_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd
  ), spent AS (
    INSERT INTO spending AS s (team_id, month, shard, cost_usd)
    SELECT r.team_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16, sum(c.cost)
    FROM sums c JOIN run r ON r.id = c.run WHERE c.cost > 0 GROUP BY 1 ORDER BY 1
    ON CONFLICT (team_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd
  ), spent_by_day AS (
    INSERT INTO daily_spending AS s (
      team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name, results, requests, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, cost_usd,
      cost_reported
    )
    SELECT
      r.team_id, (now() AT TIME ZONE 'UTC')::date, r.user_id, u.suite_id, t.provider_key, t.model_id,
      pg_backend_pid() % 4, max(u.suite_name), 0, sum(c.requests), sum(c.prompt), sum(c.completion),
      sum(c.cache_read), sum(c.cache_write_5m), sum(c.cache_write_1h), sum(c.reasoning), sum(c.cost), 0
    FROM sums c JOIN run r ON r.id = c.run JOIN target t ON t.run_id = c.run AND t.ordinal = c.target
      CROSS JOIN LATERAL suite_paid_for(r.id) u
    WHERE c.requests > 0
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (team_id, day, user_id, suite_id, provider_key, model_id, shard) DO UPDATE SET
      suite_name = excluded.suite_name,
      requests = s.requests + excluded.requests, prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = s.completion_tokens + excluded.completion_tokens,
      cache_read_tokens = s.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_5m_tokens = s.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = s.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      reasoning_tokens = s.reasoning_tokens + excluded.reasoning_tokens, cost_usd = s.cost_usd + excluded.cost_usd
  )
  SELECT h.n FROM held h;
END
$$;
