-- AlterTable
ALTER TABLE "daily_spending" ADD COLUMN     "cost_reported" BIGINT NOT NULL DEFAULT 0;
