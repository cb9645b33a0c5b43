-- Says that figures of an experiment may be stale: one of its runs, or its baseline, began or ended, has another score,
-- was linked or unlinked, or is gone. A trigger, because runs are also written by the release before, which does not
-- know these figures. Triggers of run, whose conditions keep it from all other changes of a run.
CREATE OR REPLACE FUNCTION raise_experiment_revision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stale uuid[];
BEGIN
  -- Locked in one order: two runs can each be in an experiment whose baseline is the other.
  SELECT array_agg(locked.id) INTO stale FROM (
    SELECT e.id FROM experiment e
    WHERE e.id IN (OLD.experiment_id, NEW.experiment_id) OR e.baseline_run_id = OLD.id
    ORDER BY e.id FOR NO KEY UPDATE
  ) locked;
  UPDATE experiment SET revision = revision + 1, models_compared = false WHERE id = ANY (stale);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER changed_run_of_experiment
  AFTER UPDATE OF status, score, generation, experiment_id ON run FOR EACH ROW WHEN (
    OLD.score IS DISTINCT FROM NEW.score OR OLD.generation <> NEW.generation
    OR OLD.experiment_id IS DISTINCT FROM NEW.experiment_id
    OR OLD.status <> NEW.status AND (
      OLD.status IN ('completed', 'cancelled', 'budget_exceeded', 'failed')
      OR NEW.status IN ('completed', 'cancelled', 'budget_exceeded', 'failed')
    )
  ) EXECUTE FUNCTION raise_experiment_revision();

CREATE OR REPLACE TRIGGER deleted_run_of_experiment
  AFTER DELETE ON run FOR EACH ROW EXECUTE FUNCTION raise_experiment_revision();
