-- A run with conversations can be played, scored and counted only by workers that know them, whoever submits or resumes
-- it.
CREATE OR REPLACE FUNCTION level_of_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.worker_level < 9 AND EXISTS (
    SELECT 1 FROM suite_version WHERE id = NEW.suite_version_id AND has_conversations
  ) THEN
    NEW.worker_level := 9;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER level_of_conversation BEFORE INSERT OR UPDATE OF worker_level ON run
  FOR EACH ROW EXECUTE FUNCTION level_of_conversation();
