-- The least UUIDv7 of a moment. A run's id is a UUIDv7, so a range of run ids is a range of time.
CREATE OR REPLACE FUNCTION uuid7_floor(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
