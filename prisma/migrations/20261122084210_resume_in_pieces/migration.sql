-- AlterTable
ALTER TABLE "purge" ADD COLUMN     "job_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- CreateTable
CREATE TABLE "preparation" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "generation" SMALLINT NOT NULL,
    "next_item" INTEGER NOT NULL DEFAULT 0,
    "end_item" INTEGER NOT NULL,
    "errored" INTEGER NOT NULL,

    CONSTRAINT "preparation_pkey" PRIMARY KEY ("run_id","target")
);

-- AddForeignKey
ALTER TABLE "preparation" ADD CONSTRAINT "preparation_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
