-- AlterTable
ALTER TABLE "run_against" ADD COLUMN     "points_revision" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "trend_series" (
    "id" BIGSERIAL NOT NULL,
    "team_id" UUID NOT NULL,
    "suite_id" UUID NOT NULL,
    "target" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "part" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "trend_series_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "trend_point" (
    "run_id" UUID NOT NULL,
    "series_id" BIGINT NOT NULL,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "mean" DOUBLE PRECISION,
    "low" DOUBLE PRECISION,
    "high" DOUBLE PRECISION,
    "scored" INTEGER NOT NULL,
    "errored" INTEGER NOT NULL,
    "cost_usd" DOUBLE PRECISION,
    "p95_ms" DOUBLE PRECISION,
    "verdict" TEXT,

    CONSTRAINT "trend_point_pkey" PRIMARY KEY ("run_id","series_id")
);

-- CreateIndex
CREATE INDEX "trend_series_team_id_target_idx" ON "trend_series"("team_id", "target");

-- CreateIndex
CREATE UNIQUE INDEX "trend_series_team_id_suite_id_kind_part_target_key" ON "trend_series"("team_id", "suite_id", "kind", "part", "target");

-- A series in order of time, with what decides which of its points are shown.
CREATE INDEX "trend_point_history" ON "trend_point" ("series_id", "finished_at", "run_id") INCLUDE ("mean", "verdict");

-- What the control loop has to compare, or to write points of. Runs that ended before there were points have none: the
-- newest get theirs first.
CREATE INDEX "run_against_due" ON "run_against" ("team_id", "run_id")
  WHERE "revision" > least("compared_revision", "points_revision") AND "finished_at" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "trend_point" ADD CONSTRAINT "trend_point_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trend_point" ADD CONSTRAINT "trend_point_series_id_fkey" FOREIGN KEY ("series_id") REFERENCES "trend_series"("id") ON DELETE CASCADE ON UPDATE CASCADE;
