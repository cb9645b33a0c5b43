-- AlterTable
ALTER TABLE "orchestration" ADD COLUMN     "experiment_id" UUID,
ADD COLUMN     "suite_version_id" UUID;

-- CreateTable
CREATE TABLE "tune_arm" (
    "tune_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "arm" INTEGER NOT NULL,
    "config" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "levels" TEXT NOT NULL,
    "changes" SMALLINT NOT NULL,
    "resolved" TEXT,
    "adjustments" TEXT NOT NULL DEFAULT '[]',
    "same_as" INTEGER,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "rung" TEXT,
    "tied" BOOLEAN NOT NULL DEFAULT false,
    "figures" TEXT,

    CONSTRAINT "tune_arm_pkey" PRIMARY KEY ("tune_id","target","arm")
);

-- CreateTable
CREATE TABLE "param_preset" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "search_space" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "param_preset_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "param_preset_team_id_id_idx" ON "param_preset"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "param_preset_team_id_name_key" ON "param_preset"("team_id", "name");

-- CreateIndex
CREATE INDEX "orchestration_suite_version_id_idx" ON "orchestration"("suite_version_id");

-- CreateIndex
CREATE INDEX "orchestration_experiment_id_idx" ON "orchestration"("experiment_id");

-- AddForeignKey
ALTER TABLE "tune_arm" ADD CONSTRAINT "tune_arm_tune_id_fkey" FOREIGN KEY ("tune_id") REFERENCES "orchestration"("id") ON DELETE CASCADE ON UPDATE CASCADE;
