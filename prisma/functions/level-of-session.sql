-- What the process of this session can play, score and decide (`WORKER_LEVEL`). It says so in the name of its session,
-- 'toolmark level 6', because poolers keep that for each of the processes that share a session. The release before says
-- it in the setting toolmark.worker_level, and a process of a release without levels says nothing.
-- Statements call this for each row, and a regular expression would take ten times as long.
CREATE OR REPLACE FUNCTION level_of_session() RETURNS int LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(
    nullif(current_setting('toolmark.worker_level', true), ''),
    CASE WHEN starts_with(current_setting('application_name'), 'toolmark level ')
      THEN split_part(current_setting('application_name'), ' ', 3) END,
    '1'
  )::int
$$;
