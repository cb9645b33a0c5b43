-- CreateTable
CREATE TABLE "team" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "running_jobs_per_user" INTEGER NOT NULL DEFAULT 4,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "token" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "sealed_key" TEXT,
    "key_last4" TEXT,
    "requests_per_minute" INTEGER,
    "tokens_per_minute" INTEGER,
    "max_concurrency" INTEGER NOT NULL DEFAULT 8,
    "lane_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model" (
    "id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "model_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "input_cost_per_mtok" DOUBLE PRECISION,
    "output_cost_per_mtok" DOUBLE PRECISION,
    "unsupported_params" TEXT[],
    "default_params" TEXT NOT NULL DEFAULT '{}',
    "limits" TEXT,
    "lane_id" UUID,
    "refuses_required" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "model_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lane" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "requests_per_minute" INTEGER,
    "tokens_per_minute" INTEGER,
    "max_concurrency" INTEGER NOT NULL,
    "paused_at" TIMESTAMPTZ(3),
    "vtime" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "lane_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lane_user" (
    "lane_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "vtime" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "lane_user_pkey" PRIMARY KEY ("lane_id","user_id")
);

-- CreateTable
CREATE TABLE "suite" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "system_prompt" TEXT,
    "tools" TEXT NOT NULL,
    "pass_threshold" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "suite_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "suite_case" (
    "id" UUID NOT NULL,
    "suite_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "category" TEXT,
    "tags" TEXT[],
    "body" TEXT NOT NULL,

    CONSTRAINT "suite_case_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "suite_version" (
    "id" UUID NOT NULL,
    "suite_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "system_prompt" TEXT,
    "tools" TEXT NOT NULL,
    "pass_threshold" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "suite_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "suite_version_case" (
    "version_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "case_id" UUID NOT NULL,
    "category" TEXT,
    "tags" TEXT[],
    "body" TEXT NOT NULL,

    CONSTRAINT "suite_version_case_pkey" PRIMARY KEY ("version_id","position")
);

-- CreateTable
CREATE TABLE "job" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "detail" TEXT,
    "result_ref" TEXT,
    "error" TEXT,
    "last_seq" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "errored" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_event" (
    "job_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "name" TEXT NOT NULL,
    "data" TEXT NOT NULL,

    CONSTRAINT "job_event_pkey" PRIMARY KEY ("job_id","seq")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "generation" SMALLINT NOT NULL DEFAULT 1,
    "suite_id" UUID NOT NULL,
    "suite_version_id" UUID NOT NULL,
    "suite_name" TEXT NOT NULL,
    "suite_version" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "config" TEXT NOT NULL,
    "samples" INTEGER NOT NULL,
    "case_positions" INTEGER[],
    "experiment_id" UUID,
    "score" DOUBLE PRECISION,
    "delta" DOUBLE PRECISION,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_warning" (
    "run_id" UUID NOT NULL,
    "code" TEXT NOT NULL,

    CONSTRAINT "run_warning_pkey" PRIMARY KEY ("run_id","code")
);

-- CreateTable
CREATE TABLE "target" (
    "run_id" UUID NOT NULL,
    "ordinal" SMALLINT NOT NULL,
    "lane_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "provider_key" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "params" TEXT NOT NULL DEFAULT '{}',
    "system_prompt" TEXT,
    "n" INTEGER NOT NULL,
    "cursor" INTEGER NOT NULL DEFAULT 0,
    "active" BOOLEAN NOT NULL DEFAULT false,
    "vtime" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "settled" INTEGER NOT NULL DEFAULT 0,
    "errored" INTEGER NOT NULL DEFAULT 0,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "tool_sum" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "param_sum" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "param_count" INTEGER NOT NULL DEFAULT 0,
    "overall_sum" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "cost_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "summary" TEXT,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "target_pkey" PRIMARY KEY ("run_id","ordinal")
);

-- CreateTable
CREATE TABLE "in_flight" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "item" INTEGER NOT NULL,
    "lane_id" UUID NOT NULL,
    "token" BIGINT NOT NULL,
    "worker" TEXT,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "crashes" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "in_flight_pkey" PRIMARY KEY ("run_id","target","item")
);

-- CreateTable
CREATE TABLE "redo" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "item" INTEGER NOT NULL,

    CONSTRAINT "redo_pkey" PRIMARY KEY ("run_id","target","item")
);

-- CreateTable
CREATE TABLE "result" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "generation" SMALLINT NOT NULL,
    "seq" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "passed" BOOLEAN NOT NULL,
    "tool_score" DOUBLE PRECISION,
    "param_score" DOUBLE PRECISION,
    "overall" DOUBLE PRECISION,
    "error_type" TEXT NOT NULL,
    "format_compliance" TEXT,
    "abstention" BOOLEAN NOT NULL,
    "category" TEXT,
    "called" TEXT NOT NULL,
    "evidence" TEXT,
    "metrics" TEXT,
    "scoring_version" SMALLINT NOT NULL,
    "latency_ms" INTEGER,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "cost_usd" DOUBLE PRECISION,
    "cached" BOOLEAN NOT NULL DEFAULT false,
    "attempts" SMALLINT NOT NULL,
    "error_kind" TEXT,
    "error_message" TEXT,
    "tool_choice_used" TEXT,
    "settled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "result_pkey" PRIMARY KEY ("run_id","target","case_position","sample")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "exchange" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "exchange_pkey" PRIMARY KEY ("run_id","target","case_position","sample")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "purge" (
    "run_id" UUID NOT NULL,

    CONSTRAINT "purge_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "experiment" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "suite_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "baseline_run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "experiment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "status" INTEGER,
    "response" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("team_id","user_id","key")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "team_name_key" ON "team"("name");

-- CreateIndex
CREATE UNIQUE INDEX "users_team_id_name_key" ON "users"("team_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "token_hash_key" ON "token"("hash");

-- CreateIndex
CREATE INDEX "token_team_id_id_idx" ON "token"("team_id", "id");

-- CreateIndex
CREATE INDEX "provider_lane_id_idx" ON "provider"("lane_id");

-- CreateIndex
CREATE UNIQUE INDEX "provider_team_id_key_key" ON "provider"("team_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "model_provider_id_model_id_key" ON "model"("provider_id", "model_id");

-- CreateIndex
CREATE UNIQUE INDEX "lane_team_id_fingerprint_key" ON "lane"("team_id", "fingerprint");

-- CreateIndex
CREATE INDEX "suite_team_id_id_idx" ON "suite"("team_id", "id");

-- CreateIndex
CREATE INDEX "suite_case_suite_id_position_idx" ON "suite_case"("suite_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "suite_version_suite_id_version_key" ON "suite_version"("suite_id", "version");

-- CreateIndex
CREATE INDEX "job_team_id_id_idx" ON "job"("team_id", "id");

-- CreateIndex
CREATE INDEX "job_user_id_status_idx" ON "job"("user_id", "status");

-- CreateIndex
CREATE INDEX "run_team_id_id_idx" ON "run"("team_id", "id");

-- CreateIndex
CREATE INDEX "run_job_id_idx" ON "run"("job_id");

-- CreateIndex
CREATE INDEX "run_experiment_id_idx" ON "run"("experiment_id");

-- CreateIndex
CREATE INDEX "in_flight_lane_id_idx" ON "in_flight"("lane_id");

-- CreateIndex
CREATE INDEX "result_run_id_generation_seq_idx" ON "result"("run_id", "generation", "seq");

-- CreateIndex
CREATE INDEX "experiment_team_id_id_idx" ON "experiment"("team_id", "id");

-- CreateIndex
CREATE INDEX "audit_team_id_id_idx" ON "audit"("team_id", "id");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model" ADD CONSTRAINT "model_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "provider"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suite_case" ADD CONSTRAINT "suite_case_suite_id_fkey" FOREIGN KEY ("suite_id") REFERENCES "suite"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suite_version_case" ADD CONSTRAINT "suite_version_case_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "suite_version"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "target" ADD CONSTRAINT "target_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Hot rows are updated in place (HOT), and the few rows of in_flight are replaced all the time.
ALTER TABLE "target" SET (fillfactor = 50);
ALTER TABLE "job" SET (fillfactor = 50);
ALTER TABLE "lane_user" SET (fillfactor = 50);
ALTER TABLE "lane" SET (fillfactor = 50);
ALTER TABLE "in_flight" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
CREATE INDEX "target_lane_active" ON "target" ("lane_id") WHERE active;
CREATE INDEX "target_unfinished" ON "target" ("run_id") WHERE finished_at IS NULL;
CREATE INDEX "job_unfinished" ON "job" ("user_id", "id") WHERE status IN ('pending', 'queued', 'running');
CREATE SEQUENCE "delivery_token" CACHE 100;

-- A run's id is a UUIDv7: it begins with the millisecond of its submission. So a range of run ids is a range of time, and
-- results and exchanges are partitioned by it: lookups by run touch one partition, and old exchanges are dropped whole.
CREATE FUNCTION uuid7_floor(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

CREATE FUNCTION ensure_partitions(until timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month timestamp; -- in UTC
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_partitions'));
  FOREACH parent IN ARRAY ARRAY['result', 'exchange'] LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC');
    WHILE month AT TIME ZONE 'UTC' < until LOOP
      partition := parent || '_' || to_char(month, 'YYYY_MM');
      IF to_regclass(partition) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', partition, parent,
          uuid7_floor(month AT TIME ZONE 'UTC'), uuid7_floor((month + interval '1 month') AT TIME ZONE 'UTC'));
        IF parent = 'exchange' THEN
          -- Already compressed: Postgres should not try again.
          EXECUTE format('ALTER TABLE %I ALTER COLUMN body SET STORAGE EXTERNAL', partition);
        END IF;
      END IF;
      month := month + interval '1 month';
    END LOOP;
  END LOOP;
END
$$;
CREATE TABLE "result_default" PARTITION OF "result" DEFAULT;
CREATE TABLE "exchange_default" PARTITION OF "exchange" DEFAULT;
SELECT ensure_partitions(now() + interval '3 months');

-- Settles a batch of items. A function, because its statements must see what was committed while the first one waited for
-- its locks, and because one round trip holds those locks for less time than four.
--   1. Lock the targets concerned, in key order, then their jobs: two batches never wait for each other in a circle, a
--      cancel comes wholly before or wholly after, and numbers of the log follow the order of commits.
--   2. Take away the in-flight rows that this delivery still holds and whose run is running; everything below is done for
--      exactly those: the results, the exchanges, the counters, the log's numbers.
CREATE FUNCTION settle_items(
  p_run uuid[], p_target int[], p_item int[], p_token bigint[], p_case int[], p_sample int[], p_category text[],
  p_outcome text[], p_passed bool[], p_tool float8[], p_param float8[], p_overall float8[], p_error_type text[],
  p_format text[], p_abstention bool[], p_called text[], p_evidence text[], p_metrics text[], p_version int,
  p_latency int[], p_prompt_tokens int[], p_completion_tokens int[], p_cost float8[], p_cached bool[], p_attempts int[],
  p_error_kind text[], p_error_message text[], p_tool_choice text[], p_exchange bytea[]
) RETURNS TABLE (run_id uuid, settled int) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM target t
    WHERE (t.run_id, t.ordinal) IN (SELECT DISTINCT u.r, u.t FROM unnest(p_run, p_target) AS u(r, t))
    ORDER BY t.run_id, t.ordinal FOR UPDATE;
  PERFORM 1 FROM job j WHERE j.id IN (SELECT r.job_id FROM run r WHERE r.id = ANY (p_run)) ORDER BY j.id FOR UPDATE;
  RETURN QUERY
  WITH held AS (
    DELETE FROM in_flight f
    USING unnest(p_run, p_target, p_item, p_token) WITH ORDINALITY AS u(r, t, i, k, n), run
    WHERE f.run_id = u.r AND f.target = u.t AND f.item = u.i AND f.token = u.k AND run.id = u.r AND run.status = 'running'
    RETURNING u.n::int AS n, run.id AS run, run.job_id AS job, run.generation
  ), numbered AS (
    SELECT h.n, h.run, h.job, h.generation, j.last_seq + row_number() OVER (PARTITION BY h.job ORDER BY h.n) AS seq
    FROM held h JOIN job j ON j.id = h.job
  ), stored AS (
    INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, tool_score, param_score, overall,
      error_type, format_compliance, abstention, category, called, evidence, metrics, scoring_version, latency_ms, prompt_tokens,
      completion_tokens, cost_usd, cached, attempts, error_kind, error_message, tool_choice_used)
    SELECT h.run, p_target[h.n], p_case[h.n], p_sample[h.n], h.generation, h.seq, p_outcome[h.n], p_passed[h.n], p_tool[h.n],
      p_param[h.n], p_overall[h.n], p_error_type[h.n], p_format[h.n], p_abstention[h.n], p_category[h.n], p_called[h.n],
      p_evidence[h.n], p_metrics[h.n], p_version, p_latency[h.n], p_prompt_tokens[h.n], p_completion_tokens[h.n], p_cost[h.n],
      p_cached[h.n], p_attempts[h.n], p_error_kind[h.n], p_error_message[h.n], p_tool_choice[h.n]
    FROM numbered h
  ), kept AS (
    INSERT INTO exchange (run_id, target, case_position, sample, body)
    SELECT h.run, p_target[h.n], p_case[h.n], p_sample[h.n], p_exchange[h.n] FROM held h
  ), counted AS (
    UPDATE target t SET settled = t.settled + c.settled, errored = t.errored + c.errored, passed = t.passed + c.passed,
      tool_sum = t.tool_sum + c.tool, param_sum = t.param_sum + c.param, param_count = t.param_count + c.params,
      overall_sum = t.overall_sum + c.overall, cost_usd = t.cost_usd + c.cost
    FROM (
      SELECT h.run, p_target[h.n] AS target, count(*)::int AS settled, (count(*) FILTER (WHERE p_outcome[h.n] = 'errored'))::int AS errored,
        (count(*) FILTER (WHERE p_passed[h.n]))::int AS passed, coalesce(sum(p_tool[h.n]), 0) AS tool,
        coalesce(sum(p_param[h.n]), 0) AS param, count(p_param[h.n])::int AS params, coalesce(sum(p_overall[h.n]), 0) AS overall,
        coalesce(sum(p_cost[h.n]), 0) AS cost
      FROM held h GROUP BY 1, 2
    ) c WHERE t.run_id = c.run AND t.ordinal = c.target
  ), logged AS (
    UPDATE job j SET last_seq = j.last_seq + c.settled, done = j.done + c.settled, errored = j.errored + c.errored
    FROM (
      SELECT h.job, count(*)::int AS settled, (count(*) FILTER (WHERE p_outcome[h.n] = 'errored'))::int AS errored FROM held h GROUP BY 1
    ) c WHERE j.id = c.job
  )
  SELECT h.run, count(*)::int FROM held h GROUP BY 1;
END
$$;
