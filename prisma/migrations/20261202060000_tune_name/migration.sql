-- AlterTable
ALTER TABLE "orchestration" ADD COLUMN     "name" TEXT;
