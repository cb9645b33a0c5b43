-- AlterTable
ALTER TABLE "result" ADD COLUMN     "syntax" TEXT;

-- AlterTable
ALTER TABLE "rescored" ADD COLUMN     "syntax" TEXT;
