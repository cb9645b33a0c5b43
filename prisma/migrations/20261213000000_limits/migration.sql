-- The audit log is partitioned by the month of its ids. Its rows so far are the partition of this month, which also
-- holds whatever is older, so that no row moves. The release before goes on writing the columns that it knows.
-- Another takes its name below.
ALTER TABLE "audit" RENAME TO "audit_before";
-- Another takes its name below.
ALTER TABLE "audit_before" RENAME CONSTRAINT "audit_pkey" TO "audit_before_pkey";
-- Another takes its name below.
ALTER INDEX "audit_team_id_id_idx" RENAME TO "audit_before_team_id_id_idx";

-- AlterTable
ALTER TABLE "audit_before" ADD COLUMN     "token_id" UUID,
ADD COLUMN     "session_id" UUID,
ADD COLUMN     "address" TEXT,
ADD COLUMN     "request_id" TEXT,
ADD COLUMN     "changes" TEXT,
ADD COLUMN     "cause" TEXT,
ADD COLUMN     "count" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "team_id" DROP NOT NULL,
ALTER COLUMN "user_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "audit" (
    "id" UUID NOT NULL,
    "team_id" UUID,
    "user_id" UUID,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "token_id" UUID,
    "session_id" UUID,
    "address" TEXT,
    "request_id" TEXT,
    "changes" TEXT,
    "cause" TEXT,
    "count" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateIndex
CREATE INDEX "audit_team_id_id_idx" ON "audit"("team_id", "id");

CREATE TABLE "audit_default" PARTITION OF "audit" DEFAULT;

DO $$
DECLARE
  month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  partition text := 'audit_' || to_char(month, 'YYYY_MM');
  next uuid := uuid7_floor((month + interval '1 month') AT TIME ZONE 'UTC');
BEGIN
  -- Of a clock that was ahead: `ensure_partitions` makes the months that they need.
  WITH ahead AS (DELETE FROM audit_before WHERE id >= next RETURNING *)
    INSERT INTO audit (id, team_id, user_id, action, subject, at)
    SELECT id, team_id, user_id, action, subject, at FROM ahead;
  -- Another has its name.
  EXECUTE format('ALTER TABLE audit_before RENAME CONSTRAINT audit_before_pkey TO %I', partition || '_pkey');
  -- Another has its name.
  EXECUTE format('ALTER INDEX audit_before_team_id_id_idx RENAME TO %I', partition || '_team_id_id_idx');
  -- Another has its name.
  EXECUTE format('ALTER TABLE audit_before RENAME TO %I', partition);
  EXECUTE format('ALTER TABLE audit ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', partition, next);
END
$$;

-- AlterTable
ALTER TABLE "suite" ADD COLUMN     "case_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "case_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "target" ADD COLUMN     "exchange_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "result_bytes" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "suite_version" ADD COLUMN     "bytes" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "quota" (
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "most" BIGINT NOT NULL,

    CONSTRAINT "quota_pkey" PRIMARY KEY ("team_id","name")
);

-- CreateTable
CREATE TABLE "team_day" (
    "team_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "items" BIGINT NOT NULL,

    CONSTRAINT "team_day_pkey" PRIMARY KEY ("team_id","day")
);

-- CreateTable
CREATE TABLE "team_storage" (
    "team_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL,
    "counted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_storage_pkey" PRIMARY KEY ("team_id")
);

-- Jobs of a team that run or wait; those of child runs are covered by their parents.
CREATE INDEX "job_under_way" ON "job" ("team_id", "id") WHERE status IN ('pending', 'queued', 'running') AND parent_id IS NULL;
