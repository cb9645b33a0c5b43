-- Settles a batch of items: stores the verdict or the error of each, once, with its exchange, and counts it for its
-- target, its job, its team's month and day, and the month of the token that asked for it. Parameters are columns of
-- the batch; the n-th entries of all are one item. Bytes count what is stored; what a resume replaces is counted again
-- after its target has finished (`countTarget`).
--
-- Only items whose delivery still holds them settle: their in_flight row has the token of the delivery, and their
-- run is running. A late reply, after a cancel, a takeover or a resume, finds no row and changes nothing. Nor does a
-- worker below the level of the run, whatever it has got hold of.
--
-- It is a function because the second statement must see what was committed while the first one waited for its
-- locks. Locks are taken in the order that all transactions keep (`lockUser`), targets by key, jobs and then in-flight
-- items by key, and waited for no longer than five seconds: others settle in the same process. A run that was stopped
-- has no items in flight: its rows belong to whoever resumes it.
--
-- Returns for each run how many items settled, whether a target of it has no item left, and which items of the batch
-- were stored (numbered from 1).

-- The former ones: that of migrations, and one whose callers give nothing from `p_cache_read` on, for their workers
-- price all prompt tokens alike.
DROP FUNCTION IF EXISTS settle_items(
  uuid[], int[], int[], bigint[], int[], int[], text[], text[], bool[], float8[], float8[], float8[], text[],
  text[], bool[], text[], text[], text[], int, int[], int[], int[], float8[], bool[], int[], text[], text[],
  text[], bytea[]
);
DROP FUNCTION IF EXISTS settle_items(
  uuid[], int[], int[], bigint[], int[], int[], text[], text[], bool[], float8[], float8[], float8[], text[],
  text[], bool[], text[], text[], text[], int, int[], int[], int[], float8[], bool[], int[], text[], text[],
  text[], bytea[], text[]
);
DROP FUNCTION IF EXISTS settle_items(
  uuid[], int[], int[], bigint[], int[], int[], text[], text[], bool[], float8[], float8[], float8[], text[],
  text[], bool[], text[], text[], text[], int, int[], int[], int[], float8[], bool[], int[], text[], text[],
  text[], bytea[], text[], int[], int[], int[], int[], bool[]
);
CREATE OR REPLACE FUNCTION settle_items(
  p_run uuid[], p_target int[], p_item int[], p_token bigint[], p_case int[], p_sample int[], p_category text[],
  p_outcome text[], p_passed bool[], p_tool float8[], p_param float8[], p_overall float8[], p_error_type text[],
  p_format text[], p_abstention bool[], p_called text[], p_evidence text[], p_metrics text[], p_version int,
  p_latency int[], p_prompt_tokens int[], p_completion_tokens int[], p_cost float8[], p_cached bool[],
  p_attempts int[], p_error_kind text[], p_error_message text[], p_tool_choice text[], p_exchange bytea[],
  p_syntax text[] DEFAULT NULL, p_cache_read int[] DEFAULT NULL, p_cache_write_5m int[] DEFAULT NULL,
  p_cache_write_1h int[] DEFAULT NULL, p_reasoning int[] DEFAULT NULL, p_cost_reported bool[] DEFAULT NULL,
  p_new_attempts int[] DEFAULT NULL, p_new_prompt_tokens int[] DEFAULT NULL, p_new_completion_tokens int[] DEFAULT NULL,
  p_new_cache_read int[] DEFAULT NULL, p_new_cache_write_5m int[] DEFAULT NULL, p_new_cache_write_1h int[] DEFAULT NULL,
  p_new_reasoning int[] DEFAULT NULL, p_new_cost float8[] DEFAULT NULL
) RETURNS TABLE (run_id uuid, settled int, ended boolean, stored int[])
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
  -- What is not counted yet: all, but of a conversation what came after the last round that was stored.
  n_attempts int[] := coalesce(p_new_attempts, p_attempts);
  n_prompt int[] := coalesce(p_new_prompt_tokens, p_prompt_tokens);
  n_completion int[] := coalesce(p_new_completion_tokens, p_completion_tokens);
  n_cache_read int[] := coalesce(p_new_cache_read, p_cache_read);
  n_cache_write_5m int[] := coalesce(p_new_cache_write_5m, p_cache_write_5m);
  n_cache_write_1h int[] := coalesce(p_new_cache_write_1h, p_cache_write_1h);
  n_reasoning int[] := coalesce(p_new_reasoning, p_reasoning);
  n_cost float8[] := coalesce(p_new_cost, p_cost);
BEGIN
  PERFORM 1 FROM target t
    WHERE (t.run_id, t.ordinal) IN (
      SELECT DISTINCT u.r, u.t FROM unnest(p_run, p_target) AS u(r, t) JOIN run ON run.id = u.r
      WHERE run.status = 'running'
    )
    ORDER BY t.run_id, t.ordinal FOR NO KEY UPDATE;
  PERFORM 1 FROM job j
    WHERE j.id IN (SELECT r.job_id FROM run r WHERE r.id = ANY (p_run) AND r.status = 'running')
    ORDER BY j.id FOR NO KEY UPDATE;
  PERFORM 1 FROM in_flight f JOIN unnest(p_run, p_target, p_item, p_token) AS u(r, t, i, k)
    ON f.run_id = u.r AND f.target = u.t AND f.item = u.i AND f.token = u.k
    ORDER BY f.run_id, f.target, f.item FOR UPDATE OF f;
  RETURN QUERY
  WITH held AS (
    DELETE FROM in_flight f
    USING unnest(p_run, p_target, p_item, p_token) WITH ORDINALITY AS u(r, t, i, k, n), run
    WHERE f.run_id = u.r AND f.target = u.t AND f.item = u.i AND f.token = u.k
      AND run.id = u.r AND run.status = 'running' AND run.worker_level <= level_of_session()
    RETURNING u.n::int AS n, run.id AS run, run.job_id AS job, run.generation
  ), numbered AS (
    -- Numbers of the job's log have no gap and follow the order of commits, because the job is locked.
    SELECT h.n, h.run, h.job, h.generation, j.last_seq + row_number() OVER (PARTITION BY h.job ORDER BY h.n) AS seq
    FROM held h JOIN job j ON j.id = h.job
  ), stored AS (
    INSERT INTO result (
      run_id, target, case_position, sample, generation, seq, outcome, passed,
      tool_score, param_score, overall, error_type, format_compliance, abstention,
      category, called, evidence, metrics, scoring_version, latency_ms,
      prompt_tokens, completion_tokens, cost_usd, cached, attempts,
      error_kind, error_message, tool_choice_used, syntax,
      cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, cost_reported
    )
    SELECT
      h.run, p_target[h.n], p_case[h.n], p_sample[h.n], h.generation, h.seq, p_outcome[h.n], p_passed[h.n],
      p_tool[h.n], p_param[h.n], p_overall[h.n], p_error_type[h.n], p_format[h.n], p_abstention[h.n],
      p_category[h.n], p_called[h.n], p_evidence[h.n], p_metrics[h.n], p_version, p_latency[h.n],
      p_prompt_tokens[h.n], p_completion_tokens[h.n], p_cost[h.n], p_cached[h.n], p_attempts[h.n],
      p_error_kind[h.n], p_error_message[h.n], p_tool_choice[h.n], p_syntax[h.n],
      p_cache_read[h.n], p_cache_write_5m[h.n], p_cache_write_1h[h.n], p_reasoning[h.n], p_cost_reported[h.n]
    FROM numbered h
  ), kept AS (
    -- An item that ends without an exchange leaves the one that is there: that of a recorded run is the only copy of
    -- its reply, and that of a resumed one was kept to be scored again.
    INSERT INTO exchange (run_id, target, case_position, sample, body)
    SELECT h.run, p_target[h.n], p_case[h.n], p_sample[h.n], p_exchange[h.n] FROM held h
    ON CONFLICT (run_id, target, case_position, sample) DO UPDATE
      SET body = excluded.body WHERE length(excluded.body) > 0
  ), asked AS (
    -- Tokens count where a model was asked: those of stored and recorded replies were paid for before, or elsewhere.
    SELECT h.*, p_target[h.n] AS target,
      CASE WHEN n_attempts[h.n] > 0 AND n_prompt[h.n] IS NOT NULL AND n_completion[h.n] IS NOT NULL
        THEN h.n END AS counted
    FROM held h
  ), sums AS (
    SELECT
      run, job, target,
      count(*)::int AS settled,
      (count(*) FILTER (WHERE p_outcome[n] = 'errored'))::int AS errored,
      (count(*) FILTER (WHERE p_passed[n]))::int AS passed,
      coalesce(sum(p_tool[n]), 0) AS tool,
      coalesce(sum(p_param[n]), 0) AS param,
      count(p_param[n])::int AS params,
      coalesce(sum(p_overall[n]), 0) AS overall,
      coalesce(sum(n_cost[n]), 0) AS cost,
      coalesce(sum(n_attempts[n]), 0)::int AS requests,
      (count(*) FILTER (WHERE p_attempts[n] > 0))::int AS asked,
      coalesce(sum(n_prompt[counted]), 0) AS prompt,
      coalesce(sum(n_completion[counted]), 0) AS completion,
      coalesce(sum(n_cache_read[counted]), 0) AS cache_read,
      coalesce(sum(n_cache_write_5m[counted]), 0) AS cache_write_5m,
      coalesce(sum(n_cache_write_1h[counted]), 0) AS cache_write_1h,
      coalesce(sum(n_reasoning[counted]), 0) AS reasoning,
      coalesce(sum(n_cost[counted]), 0) AS counted_cost,
      (count(*) FILTER (WHERE p_cost_reported[n]))::int AS reported,
      sum(length(p_exchange[n])) AS exchange_bytes,
      sum(coalesce(octet_length(p_evidence[n]), 0) + coalesce(octet_length(p_metrics[n]), 0) +
        coalesce(octet_length(p_error_message[n]), 0) + coalesce(octet_length(p_called[n]), 0) + 200) AS result_bytes
    FROM asked GROUP BY run, job, target
  ), counted AS (
    UPDATE target t SET
      settled = t.settled + c.settled, errored = t.errored + c.errored, passed = t.passed + c.passed,
      tool_sum = t.tool_sum + c.tool, param_sum = t.param_sum + c.param, param_count = t.param_count + c.params,
      overall_sum = t.overall_sum + c.overall, cost_usd = t.cost_usd + c.cost, requests = t.requests + c.requests,
      prompt_tokens = t.prompt_tokens + c.prompt, completion_tokens = t.completion_tokens + c.completion,
      cache_read_tokens = t.cache_read_tokens + c.cache_read,
      cache_write_5m_tokens = t.cache_write_5m_tokens + c.cache_write_5m,
      cache_write_1h_tokens = t.cache_write_1h_tokens + c.cache_write_1h,
      reasoning_tokens = t.reasoning_tokens + c.reasoning, counted_cost_usd = t.counted_cost_usd + c.counted_cost,
      cost_reported = t.cost_reported + c.reported, exchange_bytes = t.exchange_bytes + c.exchange_bytes,
      result_bytes = t.result_bytes + c.result_bytes
    FROM sums c
    WHERE t.run_id = c.run AND t.ordinal = c.target
    RETURNING t.run_id AS run, t.settled = t.n AS ended
  ), logged AS (
    UPDATE job j SET last_seq = j.last_seq + c.settled, done = j.done + c.settled, errored = j.errored + c.errored
    FROM (SELECT job, sum(settled)::int AS settled, sum(errored)::int AS errored FROM sums GROUP BY job) c
    WHERE j.id = c.job
  ), spent_by_token AS (
    -- After `spent`: such statements run from the last to the first.
    INSERT INTO token_spending AS s (token_id, month, shard, cost_usd)
    SELECT r.token_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16, sum(c.cost)
    FROM sums c JOIN run r ON r.id = c.run WHERE c.cost > 0 AND r.token_id IS NOT NULL GROUP BY 1 ORDER BY 1
    ON CONFLICT (token_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd
  ), spent AS (
    -- In shards, so that settlements of a team's runs do not wait for each other.
    INSERT INTO spending AS s (team_id, month, shard, cost_usd)
    SELECT r.team_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16, sum(n_cost[h.n])
    FROM held h JOIN run r ON r.id = h.run WHERE n_cost[h.n] > 0 GROUP BY 1 ORDER BY 1
    ON CONFLICT (team_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd
  ), spent_by_day AS (
    -- In the order of the key, so that two settlements cannot wait for each other.
    INSERT INTO daily_spending AS s (
      team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name, results, requests, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, cost_usd,
      cost_reported
    )
    SELECT
      r.team_id, (now() AT TIME ZONE 'UTC')::date, r.user_id, u.suite_id, t.provider_key, t.model_id,
      pg_backend_pid() % 4, max(u.suite_name), sum(c.asked), sum(c.requests), sum(c.prompt), sum(c.completion),
      sum(c.cache_read), sum(c.cache_write_5m), sum(c.cache_write_1h), sum(c.reasoning), sum(c.cost),
      sum(c.reported)
    FROM sums c JOIN run r ON r.id = c.run JOIN target t ON t.run_id = c.run AND t.ordinal = c.target
      CROSS JOIN LATERAL suite_paid_for(r.id) u
    WHERE c.requests > 0 OR c.asked > 0
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (team_id, day, user_id, suite_id, provider_key, model_id, shard) DO UPDATE SET
      suite_name = excluded.suite_name, results = s.results + excluded.results,
      requests = s.requests + excluded.requests, prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = s.completion_tokens + excluded.completion_tokens,
      cache_read_tokens = s.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_5m_tokens = s.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = s.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      reasoning_tokens = s.reasoning_tokens + excluded.reasoning_tokens, cost_usd = s.cost_usd + excluded.cost_usd,
      cost_reported = s.cost_reported + excluded.cost_reported
  )
  SELECT
    h.run, count(*)::int, (SELECT bool_or(c.ended) FROM counted c WHERE c.run = h.run), array_agg(h.n)
  FROM held h GROUP BY 1;
END
$$;
