-- AlterTable
ALTER TABLE "case_figures" ADD COLUMN     "disagreement" REAL,
ADD COLUMN     "failing" REAL;

-- AlterTable
ALTER TABLE "run_figures" ADD COLUMN     "ordered_generation" SMALLINT;
