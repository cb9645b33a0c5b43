-- A provider with headers, a client certificate or a key by reference can be asked only by workers that know of them,
-- whoever submits or resumes the work: those of the release before would ask without. All work of its team is left to
-- them, because a run may also ask a provider for embeddings or for what a judge says.
CREATE OR REPLACE FUNCTION level_of_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.worker_level < 8 AND EXISTS (
    SELECT 1 FROM provider WHERE team_id = NEW.team_id
      AND (headers <> '[]' OR api_key_ref IS NOT NULL OR client_certificate IS NOT NULL)
  ) THEN
    NEW.worker_level := 8;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER level_of_access BEFORE INSERT OR UPDATE OF worker_level ON run
  FOR EACH ROW EXECUTE FUNCTION level_of_access();
CREATE OR REPLACE TRIGGER level_of_access BEFORE INSERT OR UPDATE OF worker_level ON orchestration
  FOR EACH ROW EXECUTE FUNCTION level_of_access();
CREATE OR REPLACE TRIGGER level_of_access BEFORE INSERT ON rescore
  FOR EACH ROW EXECUTE FUNCTION level_of_access();
