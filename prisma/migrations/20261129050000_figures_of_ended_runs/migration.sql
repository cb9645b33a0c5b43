-- AlterTable
ALTER TABLE "run" ADD COLUMN     "cost_usd" DOUBLE PRECISION,
ADD COLUMN     "errored_share" DOUBLE PRECISION;
