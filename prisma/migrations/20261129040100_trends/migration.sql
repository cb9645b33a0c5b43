-- The newest completed runs of each suite of a team. The table has a row for each run, so it takes no time to build.
CREATE INDEX "run_trend" ON "run" ("team_id", "suite_id", "finished_at" DESC, "id" DESC)
  WHERE "listed" AND "status" = 'completed';

-- CreateIndex
CREATE INDEX "gate_look_gate_id_created_at_idx" ON "gate_look"("gate_id", "created_at" DESC);
