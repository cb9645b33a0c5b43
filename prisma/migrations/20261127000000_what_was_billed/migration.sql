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
    "cost_reported" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "daily_spending_pkey" PRIMARY KEY ("team_id","day","user_id","suite_id","provider_key","model_id","shard")
);
