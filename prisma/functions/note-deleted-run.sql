-- Runs that were compared with a deleted run are compared again, with the one before it.
CREATE OR REPLACE FUNCTION note_deleted_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE run_against SET revision = revision + 1, against_run_id = NULL, comparison = NULL
  WHERE against_run_id = OLD.id;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER deleted_run_against
  AFTER DELETE ON run FOR EACH ROW EXECUTE FUNCTION note_deleted_run();
