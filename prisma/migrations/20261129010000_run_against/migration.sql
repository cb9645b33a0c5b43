-- AlterTable
ALTER TABLE "experiment" ADD COLUMN     "models_compared" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "run_against" (
    "run_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "suite_id" UUID NOT NULL,
    "models" TEXT NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "compared_revision" INTEGER NOT NULL DEFAULT 0,
    "run_generation" SMALLINT,
    "against_run_id" UUID,
    "against_generation" SMALLINT,
    "comparison" TEXT,

    CONSTRAINT "run_against_pkey" PRIMARY KEY ("run_id")
);

-- Runs that ended before there was this table: workers compare the newest first.
INSERT INTO "run_against" (run_id, team_id, suite_id, models, finished_at)
SELECT r.id, r.team_id, r.suite_id, t.models, r.finished_at
FROM "run" r CROSS JOIN LATERAL (
  SELECT coalesce(md5(string_agg(provider_key || '::' || model_id || ' ' || params, E'\n'
    ORDER BY provider_key, model_id, params)), '') AS models
  FROM "target" WHERE run_id = r.id
) t
WHERE r.listed AND r.orchestration_id IS NULL AND r.extends_run_id IS NULL AND r.finished_at IS NOT NULL
  AND (r.status = 'completed' OR r.status IN ('cancelled', 'budget_exceeded') AND r.score IS NOT NULL);

-- CreateIndex
CREATE INDEX "run_against_team_id_suite_id_models_finished_at_run_id_idx" ON "run_against"("team_id", "suite_id", "models", "finished_at", "run_id");

-- CreateIndex
CREATE INDEX "run_against_against_run_id_idx" ON "run_against"("against_run_id");

-- Those that the control loop has to look at.
CREATE INDEX "run_against_to_compare" ON "run_against" ("team_id", "run_id") WHERE "revision" > "compared_revision" AND "finished_at" IS NOT NULL;

-- What the release before finds by experiment_to_refresh, and experiments whose comparisons do not name models yet.
CREATE INDEX "experiment_to_compare" ON "experiment" ("team_id", "id") WHERE "revision" > "refreshed_revision" OR NOT "models_compared";

-- The newest runs of an experiment, and its timeline.
CREATE INDEX "run_experiment_id_finished_at_id_idx" ON "run"("experiment_id", "finished_at", "id");

-- AddForeignKey
ALTER TABLE "run_against" ADD CONSTRAINT "run_against_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
