-- The finisher looks every second for runs that may be finished: among these, not among all that ever ran.
CREATE INDEX "run_unfinished" ON "run" ("id") WHERE status = 'running' OR (status IN ('cancelled', 'budget_exceeded') AND score IS NULL);
