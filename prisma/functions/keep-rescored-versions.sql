-- A version of a suite that a rescore scores with stays. Workers of the release before know only runs, recordings and
-- parents of runs that pin a version, and would retire it (its version becomes -1).
CREATE OR REPLACE FUNCTION keep_rescored_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM rescore WHERE suite_version_id = OLD.id) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER keep_rescored_versions BEFORE UPDATE OF version ON suite_version
  FOR EACH ROW WHEN (NEW.version = -1) EXECUTE FUNCTION keep_rescored_versions();
