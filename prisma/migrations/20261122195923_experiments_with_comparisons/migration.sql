-- AlterTable
ALTER TABLE "run" ADD COLUMN     "comparison" TEXT,
ADD COLUMN     "differs" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "experiment" ADD COLUMN     "baseline_deleted" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "baseline_set_by" TEXT,
ADD COLUMN     "best_run_id" UUID,
ADD COLUMN     "margin" DOUBLE PRECISION NOT NULL DEFAULT 0.02,
ADD COLUMN     "measure" TEXT NOT NULL DEFAULT 'overall',
ADD COLUMN     "refreshed_revision" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "status" TEXT NOT NULL DEFAULT 'active',
ADD COLUMN     "tied_with" UUID[] DEFAULT ARRAY[]::UUID[];

-- CreateTable
CREATE TABLE "experiment_comparison" (
    "experiment_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "against_run_id" UUID NOT NULL,
    "run_generation" SMALLINT NOT NULL,
    "against_generation" SMALLINT NOT NULL,
    "delta" DOUBLE PRECISION,
    "differs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "eligible" BOOLEAN NOT NULL DEFAULT false,
    "comparison" TEXT NOT NULL,

    CONSTRAINT "experiment_comparison_pkey" PRIMARY KEY ("experiment_id","run_id","against_run_id")
);

-- CreateIndex
CREATE INDEX "experiment_comparison_run_id_idx" ON "experiment_comparison"("run_id");

-- CreateIndex
CREATE INDEX "experiment_comparison_against_run_id_idx" ON "experiment_comparison"("against_run_id");

-- CreateIndex
CREATE INDEX "experiment_baseline_run_id_idx" ON "experiment"("baseline_run_id");

-- Those that the control loop has to look at.
CREATE INDEX "experiment_to_refresh" ON "experiment"("team_id", "id") WHERE "revision" > "refreshed_revision";

-- AddForeignKey
ALTER TABLE "experiment_comparison" ADD CONSTRAINT "experiment_comparison_experiment_id_fkey" FOREIGN KEY ("experiment_id") REFERENCES "experiment"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- An experiment that has a baseline got it from a user.
UPDATE "experiment" SET "baseline_set_by" = 'user' WHERE "baseline_run_id" IS NOT NULL;
