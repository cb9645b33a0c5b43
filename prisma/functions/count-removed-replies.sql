-- As count_kept_replies, for replies that are removed.
CREATE OR REPLACE FUNCTION count_removed_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cache_size AS s (team_id, shard, entries, bytes)
  SELECT team_id, pg_backend_pid() % 16, -count(*), -sum(bytes) FROM removed GROUP BY 1 ORDER BY 1
  ON CONFLICT (team_id, shard) DO UPDATE
    SET entries = s.entries + excluded.entries, bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END
$$;
