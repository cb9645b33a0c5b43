-- Notes when a team takes another embedding model: vectors of the one before can be removed. Trigger of
-- embedding_model (migration unneeded_rows).
CREATE OR REPLACE FUNCTION note_embedding_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE team SET embedding_changed_at = now() WHERE id = coalesce(NEW.team_id, OLD.team_id);
  RETURN NULL;
END
$$;
