-- What one of a parent's child runs waits for.
CREATE INDEX "job_child_waits" ON "job" ("parent_id", "id") WHERE status IN ('pending', 'queued', 'running') AND parent_id IS NOT NULL AND detail IS NOT NULL;
