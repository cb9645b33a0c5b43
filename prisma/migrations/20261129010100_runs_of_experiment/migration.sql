-- A transaction of its own: readers do not wait for it, and writers for as long as it reads the table.
-- The newest runs of an experiment, and its timeline.
CREATE INDEX "run_experiment_id_finished_at_id_idx" ON "run"("experiment_id", "finished_at", "id");
