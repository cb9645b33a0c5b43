-- A transaction of its own: readers do not wait for it, and writers for as long as it reads the table once.
-- What the release before finds by run_unfinished, without the stopped runs that are closed. A later release drops that one.
CREATE INDEX "run_to_finish" ON "run" ("id") WHERE status = 'running'
  OR (status IN ('cancelled', 'budget_exceeded') AND score IS NULL AND nullif(generation, closed_generation) IS NOT NULL);

-- How few of them are open: without it Postgres takes most stopped runs for open, and reads them all.
CREATE STATISTICS "run_open" ON (nullif(generation, closed_generation)) FROM "run";

-- Deleted parents whose runs are still to be removed.
CREATE INDEX "orchestration_removed" ON "orchestration" ("id") WHERE "team_id" = "id";
