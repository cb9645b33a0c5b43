-- Makes a person of each user that a process of the release before inserts: it knows of no persons. Nobody is looked up
-- by name, so it is always a new one.
CREATE OR REPLACE FUNCTION person_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO person (id, name, created_at) VALUES (NEW.id, NEW.name, NEW.created_at);
  UPDATE users SET person_id = NEW.id WHERE id = NEW.id;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER person_of_user AFTER INSERT ON users
  FOR EACH ROW WHEN (NEW.person_id IS NULL) EXECUTE FUNCTION person_of_user();

-- The users of before: each is a person. The index of persons lets this run again.
INSERT INTO person (id, name, created_at) SELECT id, name, created_at FROM users WHERE person_id IS NULL
  ON CONFLICT (id) DO NOTHING;
UPDATE users SET person_id = id WHERE person_id IS NULL;
