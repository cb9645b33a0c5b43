-- AlterTable
ALTER TABLE "run" ADD COLUMN     "name" TEXT,
ADD COLUMN     "note" TEXT;

-- What did not pass, by its error type. On a large table it is made beforehand, partition by partition, so that nobody
-- who settles has to wait (docs/operations.md); then there is nothing left to do here. Later partitions inherit it.
CREATE INDEX IF NOT EXISTS "result_failures" ON "result" ("run_id", "error_type", "target", "case_position", "sample")
  WHERE NOT "passed";
