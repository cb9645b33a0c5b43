-- Another baseline makes all figures of an experiment stale. A baseline is only taken away when its run is deleted: the
-- experiment then waits for a user to pin another. Trigger of experiment, because runs are also deleted by the release
-- before, which does not know these columns.
CREATE OR REPLACE FUNCTION note_baseline_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := NEW.revision + 1;
  NEW.models_compared := false;
  IF NEW.baseline_run_id IS NULL THEN
    NEW.baseline_set_by := NULL;
    NEW.baseline_deleted := true;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER changed_baseline
  BEFORE UPDATE OF baseline_run_id ON experiment FOR EACH ROW
  WHEN (OLD.baseline_run_id IS DISTINCT FROM NEW.baseline_run_id)
  EXECUTE FUNCTION note_baseline_change();
