-- A rescore of a run with conversations, or with a version that has them, needs workers that know them.
CREATE OR REPLACE FUNCTION level_of_rescored_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.worker_level < 9 AND EXISTS (
    SELECT 1 FROM suite_version v JOIN run r ON v.id IN (r.suite_version_id, NEW.suite_version_id)
    WHERE r.id = NEW.run_id AND v.has_conversations
  ) THEN
    NEW.worker_level := 9;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER level_of_rescored_conversation BEFORE INSERT ON rescore
  FOR EACH ROW EXECUTE FUNCTION level_of_rescored_conversation();
