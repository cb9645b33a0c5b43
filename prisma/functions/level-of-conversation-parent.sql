-- A gate run, tune or judge of runs with conversations needs the workers that those runs need, whoever submits or
-- resumes it: those of the release before would read only the last round, and see no goal.
CREATE OR REPLACE FUNCTION level_of_conversation_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM suite_version WHERE id = NEW.suite_version_id AND has_conversations) OR EXISTS (
    -- The run of a gate pins the suite as it is then; its baseline may be of any version.
    SELECT 1 FROM gate g WHERE g.id = NEW.subject_id AND (
      EXISTS (SELECT 1 FROM suite_version v WHERE v.suite_id = g.suite_id AND v.has_conversations)
      OR EXISTS (SELECT 1 FROM suite_case c WHERE c.suite_id = g.suite_id AND strpos(c.body, '"conversation":{') > 0)
    )
  ) THEN
    NEW.worker_level := 9;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER level_of_conversation_parent BEFORE INSERT OR UPDATE OF worker_level ON orchestration
  FOR EACH ROW WHEN (NEW.worker_level < 9) EXECUTE FUNCTION level_of_conversation_parent();
