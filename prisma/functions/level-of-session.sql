-- What the process of this session can play, score and decide (`WORKER_LEVEL`). It says so when it connects, in the
-- setting toolmark.worker_level; a process of a release without levels says nothing.
CREATE OR REPLACE FUNCTION level_of_session() RETURNS int LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(nullif(current_setting('toolmark.worker_level', true), ''), '1')::int
$$;
