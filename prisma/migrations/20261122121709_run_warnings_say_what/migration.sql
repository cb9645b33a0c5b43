-- AlterTable
ALTER TABLE "run_warning" ADD COLUMN     "at" TIMESTAMPTZ(3),
ADD COLUMN     "generation" SMALLINT NOT NULL DEFAULT 1,
ADD COLUMN     "message" TEXT;
