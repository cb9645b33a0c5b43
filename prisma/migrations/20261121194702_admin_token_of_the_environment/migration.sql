-- AlterTable
ALTER TABLE "token" ADD COLUMN     "from_env" BOOLEAN NOT NULL DEFAULT false;
