-- The month, in UTC, in which a UUIDv7 was made.
CREATE OR REPLACE FUNCTION uuid7_month(id uuid) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT date_trunc(
    'month',
    to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) AT TIME ZONE 'UTC'
  )
$$;
