-- AlterTable
ALTER TABLE "run" ADD COLUMN     "closed_generation" SMALLINT;

-- AlterTable
ALTER TABLE "orchestration" ADD COLUMN     "resuming" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "run_to_judge" (
    "run_id" UUID NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_to_judge_pkey" PRIMARY KEY ("run_id")
);

-- AddForeignKey
ALTER TABLE "run_to_judge" ADD CONSTRAINT "run_to_judge_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
