-- AlterTable
ALTER TABLE "gate" ADD COLUMN     "last_answer" TEXT,
ADD COLUMN     "last_answer_at" TIMESTAMPTZ(3);
