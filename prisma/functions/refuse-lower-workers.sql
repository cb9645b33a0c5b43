-- Refuses what only a worker writes about a run, a rescore or a parent of runs, if the worker is below its level: its
-- own statements leave such rows alone, and those of a release without levels know nothing of them. That one reports
-- the error, and tries again in a while, until a worker of the level has done it. Its other work goes on.
CREATE OR REPLACE FUNCTION refuse_lower_workers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  needed int;
BEGIN
  IF TG_TABLE_NAME IN ('run', 'rescore', 'orchestration') THEN
    needed := NEW.worker_level;
  ELSIF TG_TABLE_NAME = 'target' THEN
    SELECT worker_level INTO needed FROM run WHERE id = NEW.run_id;
  ELSIF TG_TABLE_NAME = 'experiment_comparison' THEN
    SELECT max(worker_level) INTO needed FROM run WHERE id IN (NEW.run_id, NEW.against_run_id);
  ELSE
    SELECT coalesce(s.worker_level, r.worker_level) INTO needed
      FROM run r LEFT JOIN rescore s ON s.id = NEW.scoring_id WHERE r.id = NEW.run_id;
  END IF;
  IF needed > level_of_session() THEN
    RAISE EXCEPTION 'This is left to workers of a later release (level %, this one has %)',
      needed, level_of_session();
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE UPDATE OF summary ON target
  FOR EACH ROW WHEN (NEW.summary IS NOT NULL) EXECUTE FUNCTION refuse_lower_workers();
CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE UPDATE OF score, status ON run
  FOR EACH ROW WHEN (
    OLD.score IS DISTINCT FROM NEW.score AND NEW.score IS NOT NULL
    OR OLD.status <> NEW.status AND NEW.status = 'completed'
  ) EXECUTE FUNCTION refuse_lower_workers();
CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE UPDATE OF next_target, summaries ON rescore
  FOR EACH ROW EXECUTE FUNCTION refuse_lower_workers();
-- A resume raises the revision as well, and gives it another job.
CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE UPDATE OF revision ON orchestration
  FOR EACH ROW WHEN (OLD.job_id = NEW.job_id) EXECUTE FUNCTION refuse_lower_workers();
CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE UPDATE OF facets ON run_figures
  FOR EACH ROW EXECUTE FUNCTION refuse_lower_workers();
CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE INSERT OR UPDATE ON case_figures
  FOR EACH ROW WHEN (level_of_session() = 1) EXECUTE FUNCTION refuse_lower_workers();
CREATE OR REPLACE TRIGGER refuse_lower_workers BEFORE INSERT OR UPDATE ON experiment_comparison
  FOR EACH ROW EXECUTE FUNCTION refuse_lower_workers();
