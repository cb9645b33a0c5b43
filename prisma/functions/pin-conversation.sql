-- A version of a suite has what its conversations have in common, and says whether it has any, whichever release pins
-- it: the release before knows neither column. A version without a suite (of a try-out) brings both.
CREATE OR REPLACE FUNCTION pin_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.conversation := coalesce(NEW.conversation, (SELECT conversation FROM suite WHERE id = NEW.suite_id));
  -- Another key of this name, deep in a case, only keeps the version from workers of the release before.
  NEW.has_conversations := NEW.has_conversations OR EXISTS (
    SELECT 1 FROM suite_case WHERE suite_id = NEW.suite_id AND strpos(body, '"conversation":{') > 0
  );
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER pin_conversation BEFORE INSERT ON suite_version
  FOR EACH ROW EXECUTE FUNCTION pin_conversation();
