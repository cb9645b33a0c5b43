-- The few runs whose budgets may be spent, and those of them that a parent has made.
CREATE INDEX "run_under_way" ON "run" ("orchestration_id", "id") WHERE status IN ('pending', 'queued', 'running');
