-- Makes the monthly partitions of the tables that are partitioned by a UUIDv7, up to `until`: those of the months to
-- come, and of every month that the default partition holds rows of, however long ago, because the default
-- partition is never dropped. Its rows move to the partition that is made for them.
--
-- Whoever needs one of the tables waits behind this function's lock, so it waits itself for no longer than two
-- seconds for anybody else's.
CREATE OR REPLACE FUNCTION ensure_partitions(until timestamptz) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  parent text;
  key text;
  month timestamp; -- in UTC
  partition text;
  first uuid;
  next uuid;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_partitions'));
  FOR parent, key IN
    VALUES ('result', 'run_id'), ('exchange', 'run_id'), ('conversation_round', 'run_id'), ('rescored', 'run_id'),
      ('audit', 'id')
  LOOP
    FOR month IN EXECUTE format('
      WITH RECURSIVE late AS (
        (SELECT uuid7_month(%2$I) AS month FROM %1$I ORDER BY %2$I LIMIT 1)
        UNION ALL
        SELECT (
          SELECT uuid7_month(%2$I) FROM %1$I
          WHERE %2$I >= uuid7_floor((late.month + interval ''1 month'') AT TIME ZONE ''UTC'')
          ORDER BY %2$I LIMIT 1
        ) FROM late WHERE late.month IS NOT NULL
      )
      SELECT month FROM late WHERE month IS NOT NULL
      UNION
      SELECT generate_series(
        date_trunc(''month'', now() AT TIME ZONE ''UTC''), $1 - interval ''1 microsecond'', interval ''1 month''
      )
      ORDER BY 1', parent || '_default', key) USING until AT TIME ZONE 'UTC'
    LOOP
      partition := parent || '_' || to_char(month, 'YYYY_MM');
      CONTINUE WHEN to_regclass(partition) IS NOT NULL;
      first := uuid7_floor(month AT TIME ZONE 'UTC');
      next := uuid7_floor((month + interval '1 month') AT TIME ZONE 'UTC');
      EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, parent);
      IF parent IN ('exchange', 'conversation_round') THEN
        -- Already compressed: Postgres should not try again.
        EXECUTE format('ALTER TABLE %I ALTER COLUMN body SET STORAGE EXTERNAL', partition);
      END IF;
      EXECUTE format(
        'WITH moved AS (DELETE FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L RETURNING *)
          INSERT INTO %5$I SELECT * FROM moved',
        parent || '_default', key, first, next, partition
      );
      EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, first, next
      );
    END LOOP;
  END LOOP;
END
$$;
