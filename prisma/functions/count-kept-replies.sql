-- Adds the entries and bytes that one statement stores to the size of each team's cache. Rows of cache_size are
-- spread over shards, so that statements of one team do not wait for each other. Trigger of cached_reply (migration
-- cache_size); each kind of statement has a function of its own, because each has other transition tables to read.
CREATE OR REPLACE FUNCTION count_kept_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cache_size AS s (team_id, shard, entries, bytes)
  SELECT team_id, pg_backend_pid() % 16, count(*), sum(bytes) FROM added GROUP BY 1 ORDER BY 1
  ON CONFLICT (team_id, shard) DO UPDATE
    SET entries = s.entries + excluded.entries, bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END
$$;
