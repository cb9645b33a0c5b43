-- As count_kept_replies, for replies that take the place of others.
CREATE OR REPLACE FUNCTION count_renewed_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cache_size AS s (team_id, shard, entries, bytes)
  SELECT team_id, pg_backend_pid() % 16, 0, sum(bytes)
  FROM (SELECT team_id, bytes FROM added UNION ALL SELECT team_id, -bytes FROM removed) c
  GROUP BY 1 HAVING sum(bytes) <> 0 ORDER BY 1
  ON CONFLICT (team_id, shard) DO UPDATE SET bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END
$$;
