-- What a judge reads is stored after its orchestration, in the same transaction.
CREATE OR REPLACE FUNCTION level_of_judged_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE orchestration SET worker_level = 9
  WHERE id = NEW.id AND worker_level < 9 AND EXISTS (
    SELECT 1 FROM run r JOIN suite_version v ON v.id = r.suite_version_id
    WHERE r.id IN (NEW.run_id, NEW.baseline_id) AND v.has_conversations
  );
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER level_of_judged_conversation AFTER INSERT ON judge_report
  FOR EACH ROW EXECUTE FUNCTION level_of_judged_conversation();
