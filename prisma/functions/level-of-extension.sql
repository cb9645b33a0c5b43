-- Samples that are added to a run need the workers that the run needs, whoever adds them: two rules would score one run.
CREATE OR REPLACE FUNCTION level_of_extension() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.worker_level := greatest(NEW.worker_level, (SELECT worker_level FROM run WHERE id = NEW.extends_run_id));
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER level_of_extension BEFORE INSERT ON run
  FOR EACH ROW WHEN (NEW.extends_run_id IS NOT NULL) EXECUTE FUNCTION level_of_extension();
