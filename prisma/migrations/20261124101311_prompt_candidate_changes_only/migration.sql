-- AlterTable
ALTER TABLE "prompt_candidate" DROP COLUMN "texts";
