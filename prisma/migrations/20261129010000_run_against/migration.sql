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

-- CreateIndex
CREATE INDEX "run_against_team_id_suite_id_models_finished_at_run_id_idx" ON "run_against"("team_id", "suite_id", "models", "finished_at", "run_id");

-- CreateIndex
CREATE INDEX "run_against_against_run_id_idx" ON "run_against"("against_run_id");

-- Those that the control loop has to look at.
CREATE INDEX "run_against_to_compare" ON "run_against" ("team_id", "run_id") WHERE "revision" > "compared_revision" AND "finished_at" IS NOT NULL;

-- What the release before finds by experiment_to_refresh, and experiments whose comparisons do not name models yet.
CREATE INDEX "experiment_to_compare" ON "experiment" ("team_id", "id") WHERE "revision" > "refreshed_revision" OR NOT "models_compared";

-- AddForeignKey
ALTER TABLE "run_against" ADD CONSTRAINT "run_against_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
