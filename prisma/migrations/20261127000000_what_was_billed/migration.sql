-- AlterTable
ALTER TABLE "model" ADD COLUMN     "cache_read_cost_per_mtok" DOUBLE PRECISION,
ADD COLUMN     "cache_write_5m_cost_per_mtok" DOUBLE PRECISION,
ADD COLUMN     "cache_write_1h_cost_per_mtok" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "result" ADD COLUMN     "cache_read_tokens" INTEGER,
ADD COLUMN     "cache_write_5m_tokens" INTEGER,
ADD COLUMN     "cache_write_1h_tokens" INTEGER,
ADD COLUMN     "reasoning_tokens" INTEGER,
ADD COLUMN     "cost_reported" BOOLEAN;

-- AlterTable
ALTER TABLE "target" ADD COLUMN     "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "completion_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "cache_read_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "cache_write_5m_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "counted_cost_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
ADD COLUMN     "cost_reported" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "daily_spending" (
    "team_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "user_id" UUID NOT NULL,
    "suite_id" UUID NOT NULL,
    "provider_key" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "shard" SMALLINT NOT NULL,
    "suite_name" TEXT NOT NULL,
    "results" BIGINT NOT NULL DEFAULT 0,
    "requests" BIGINT NOT NULL DEFAULT 0,
    "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "completion_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_read_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_5m_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
    "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "daily_spending_pkey" PRIMARY KEY ("team_id","day","user_id","suite_id","provider_key","model_id","shard")
);

-- What runs have cost before there were counters, on the day that each began. Runs that were deleted are not in it.
-- Requests of a judge, of a search for prompts and of cases that were tried out belong to no suite here.
INSERT INTO daily_spending (team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name, results,
  requests, cost_usd)
SELECT r.team_id, (r.created_at AT TIME ZONE 'UTC')::date, r.user_id,
  CASE WHEN r.suite_id = r.suite_version_id THEN '00000000-0000-0000-0000-000000000000' ELSE r.suite_id END,
  t.provider_key, t.model_id, 0, max(CASE WHEN r.suite_id = r.suite_version_id THEN '' ELSE r.suite_name END), sum(t.settled), sum(t.requests), sum(t.cost_usd)
FROM run r JOIN target t ON t.run_id = r.id
WHERE t.requests > 0
GROUP BY 1, 2, 3, 4, 5, 6;
