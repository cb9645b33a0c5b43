-- AlterTable
ALTER TABLE "job" ADD COLUMN     "parent_id" UUID;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "arm" TEXT,
ADD COLUMN     "extends_run_id" UUID,
ADD COLUMN     "first_sample" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "listed" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "orchestration_id" UUID,
ADD COLUMN     "step" TEXT;

-- CreateTable
CREATE TABLE "orchestration" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "generation" SMALLINT NOT NULL DEFAULT 1,
    "step" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "input" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT '{}',
    "max_requests" INTEGER,
    "max_cost_usd" DOUBLE PRECISION,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "orchestration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gate" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "suite_id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "baseline_run_id" UUID,
    "experiment_id" UUID,
    "rules" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gate_look" (
    "gate_id" UUID NOT NULL,
    "gate_version" INTEGER NOT NULL,
    "run_id" UUID NOT NULL,
    "baseline_run_id" UUID NOT NULL,
    "look" SMALLINT NOT NULL,
    "data" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gate_look_pkey" PRIMARY KEY ("gate_id","gate_version","run_id","baseline_run_id","look")
);

-- CreateIndex
CREATE INDEX "orchestration_team_id_id_idx" ON "orchestration"("team_id", "id");

-- CreateIndex
CREATE INDEX "orchestration_subject_id_idx" ON "orchestration"("subject_id");

-- CreateIndex
CREATE INDEX "orchestration_job_id_idx" ON "orchestration"("job_id");

-- CreateIndex
CREATE INDEX "gate_team_id_id_idx" ON "gate"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "gate_team_id_name_key" ON "gate"("team_id", "name");

-- CreateIndex
CREATE INDEX "gate_look_run_id_idx" ON "gate_look"("run_id");

-- CreateIndex
CREATE INDEX "gate_look_baseline_run_id_idx" ON "gate_look"("baseline_run_id");

-- CreateIndex
CREATE INDEX "job_parent_id_idx" ON "job"("parent_id");

-- CreateIndex
CREATE INDEX "job_result_ref_idx" ON "job"("result_ref");

-- CreateIndex
CREATE INDEX "run_extends_run_id_idx" ON "run"("extends_run_id");

-- CreateIndex
CREATE UNIQUE INDEX "run_orchestration_id_step_arm_key" ON "run"("orchestration_id", "step", "arm");

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_orchestration_id_fkey" FOREIGN KEY ("orchestration_id") REFERENCES "orchestration"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gate_look" ADD CONSTRAINT "gate_look_gate_id_fkey" FOREIGN KEY ("gate_id") REFERENCES "gate"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The history.
CREATE INDEX "run_listed" ON "run"("team_id", "id") WHERE "listed";
