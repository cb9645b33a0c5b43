-- AlterTable
ALTER TABLE "rescore" ADD COLUMN     "cases_matched" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "suite_version_id" UUID,
ADD COLUMN     "unmatched" TEXT;

-- CreateTable
CREATE TABLE "rescored_case" (
    "run_id" UUID NOT NULL,
    "rescore_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "version_id" UUID NOT NULL,
    "version_position" INTEGER,

    CONSTRAINT "rescored_case_pkey" PRIMARY KEY ("run_id","rescore_id","position")
);

-- CreateIndex
CREATE INDEX "rescore_suite_version_id_idx" ON "rescore"("suite_version_id");
