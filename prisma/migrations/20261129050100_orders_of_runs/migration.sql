-- A transaction of its own: readers do not wait for it, and writers for as long as it reads the table.
-- One index for each order of the history, with the expressions of libs/db/read/run-list.ts.
CREATE INDEX "run_by_name" ON "run" ("team_id",
  (regexp_replace(regexp_replace(lower(left(coalesce(name, suite_name), 200)),
    '(\d+)', '00000000\1', 'g'), '0*(\d{9,})(?!\d)', '\1', 'g') COLLATE "C"), "id") WHERE listed;
CREATE INDEX "run_by_score" ON "run" ("team_id", "score", "id") WHERE listed;
CREATE INDEX "run_by_cost" ON "run" ("team_id", "cost_usd", "id") WHERE listed;
CREATE INDEX "run_by_duration" ON "run" ("team_id", (extract(epoch FROM finished_at - started_at)), "id") WHERE listed;
CREATE INDEX "run_by_errored" ON "run" ("team_id", "errored_share", "id") WHERE listed;
