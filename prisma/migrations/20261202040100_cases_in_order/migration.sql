-- A transaction of its own: readers do not wait for it, and writers for as long as it reads the table. No row is in
-- these indexes yet. Cases that the release before counts are ordered when they are read.
CREATE INDEX "case_figures_by_disagreement" ON "case_figures" ("run_id", "scoring_id", "disagreement" DESC, "position")
  WHERE "disagreement" IS NOT NULL;
CREATE INDEX "case_figures_by_failing" ON "case_figures" ("run_id", "scoring_id", "failing" DESC, "position")
  WHERE "failing" IS NOT NULL;
