-- Keeps what needs a level from workers that know of none. Their statements find targets by `active` and items by
-- `lane_id`, so these stay false and null, and `active_for` and `hidden_lane_id` say the same to later releases. The
-- release before still writes the first two: an API or a worker of it admits, resumes and cancels runs of this one, and
-- moves them when a provider changes.
CREATE OR REPLACE FUNCTION hide_from_first_workers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  needed int;
BEGIN
  IF TG_TABLE_NAME = 'in_flight' THEN
    NEW.hidden_lane_id := NEW.lane_id;
    NEW.lane_id := NULL;
  ELSE
    SELECT worker_level INTO needed FROM run WHERE id = NEW.run_id;
    NEW.active_for := CASE WHEN NEW.active THEN needed END;
    NEW.active := NEW.active AND needed = 1;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER hide_from_first_workers BEFORE UPDATE OF active ON target
  FOR EACH ROW EXECUTE FUNCTION hide_from_first_workers();

CREATE OR REPLACE TRIGGER hide_from_first_workers BEFORE UPDATE OF lane_id ON in_flight
  FOR EACH ROW WHEN (NEW.worker_level > 1 AND NEW.lane_id IS NOT NULL) EXECUTE FUNCTION hide_from_first_workers();

-- Activated before there was a trigger.
UPDATE target SET active_for = 1 WHERE active AND active_for IS NULL;
