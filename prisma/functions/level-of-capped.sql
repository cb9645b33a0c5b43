-- Work of a token with a monthly cap needs workers that know of such caps, whoever submits or resumes it: those of the
-- release before would dispatch items that the cap does not allow, and never stop the run.
CREATE OR REPLACE FUNCTION level_of_capped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM token WHERE id = NEW.token_id AND monthly_cap_usd IS NOT NULL) THEN
    NEW.worker_level := greatest(NEW.worker_level, 7);
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER level_of_capped BEFORE INSERT OR UPDATE OF token_id ON run
  FOR EACH ROW WHEN (NEW.token_id IS NOT NULL) EXECUTE FUNCTION level_of_capped();
CREATE OR REPLACE TRIGGER level_of_capped BEFORE INSERT OR UPDATE OF token_id ON orchestration
  FOR EACH ROW WHEN (NEW.token_id IS NOT NULL) EXECUTE FUNCTION level_of_capped();
CREATE OR REPLACE TRIGGER level_of_capped BEFORE INSERT ON rescore
  FOR EACH ROW WHEN (NEW.token_id IS NOT NULL) EXECUTE FUNCTION level_of_capped();
