-- CreateTable
CREATE TABLE "cache_size" (
    "team_id" UUID NOT NULL,
    "shard" SMALLINT NOT NULL,
    "entries" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "cache_size_pkey" PRIMARY KEY ("team_id","shard")
);

-- A statement's changes are counted together; there is a function for each kind of statement, as each has other tables to read.
CREATE FUNCTION count_kept_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cache_size AS s (team_id, shard, entries, bytes)
  SELECT team_id, pg_backend_pid() % 16, count(*), sum(bytes) FROM added GROUP BY 1 ORDER BY 1
  ON CONFLICT (team_id, shard) DO UPDATE SET entries = s.entries + excluded.entries, bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END
$$;
CREATE FUNCTION count_renewed_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cache_size AS s (team_id, shard, entries, bytes)
  SELECT team_id, pg_backend_pid() % 16, 0, sum(bytes) FROM (SELECT team_id, bytes FROM added UNION ALL SELECT team_id, -bytes FROM removed) c
  GROUP BY 1 HAVING sum(bytes) <> 0 ORDER BY 1
  ON CONFLICT (team_id, shard) DO UPDATE SET bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END
$$;
CREATE FUNCTION count_removed_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cache_size AS s (team_id, shard, entries, bytes)
  SELECT team_id, pg_backend_pid() % 16, -count(*), -sum(bytes) FROM removed GROUP BY 1 ORDER BY 1
  ON CONFLICT (team_id, shard) DO UPDATE SET entries = s.entries + excluded.entries, bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_kept AFTER INSERT ON cached_reply REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_kept_replies();
CREATE TRIGGER count_renewed AFTER UPDATE ON cached_reply REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_renewed_replies();
CREATE TRIGGER count_removed AFTER DELETE ON cached_reply REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_replies();

-- Nobody changes the replies while they are counted: the triggers above hold the table until this is committed.
INSERT INTO cache_size (team_id, shard, entries, bytes) SELECT team_id, 0, count(*), sum(bytes) FROM cached_reply GROUP BY 1;
