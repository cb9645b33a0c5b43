-- What teams are told without asking is looked for by time.
CREATE INDEX "job_event_team" ON "job_event" ("at") WHERE name IN ('job_created', 'job_completed', 'job_failed', 'job_cancelled');
