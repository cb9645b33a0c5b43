-- Counts the cases of each suite, and their bytes, in the row of the suite, whichever release writes them: quotas add
-- them up without reading cases. Trigger of suite_case; every transaction that changes cases holds their suite.
CREATE OR REPLACE FUNCTION count_cases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE suite s SET case_count = case_count + c.n, case_bytes = case_bytes + c.bytes FROM (
      SELECT suite_id, count(*)::int AS n, sum(octet_length(body)) AS bytes FROM added GROUP BY 1
    ) c WHERE s.id = c.suite_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE suite s SET case_count = case_count - c.n, case_bytes = case_bytes - c.bytes FROM (
      SELECT suite_id, count(*)::int AS n, sum(octet_length(body)) AS bytes FROM removed GROUP BY 1
    ) c WHERE s.id = c.suite_id;
  ELSE
    UPDATE suite s SET case_bytes = case_bytes + c.bytes FROM (
      SELECT suite_id, sum(bytes) AS bytes FROM (
        SELECT suite_id, octet_length(body) AS bytes FROM added
        UNION ALL SELECT suite_id, -octet_length(body) FROM removed
      ) changed GROUP BY 1 HAVING sum(bytes) <> 0
    ) c WHERE s.id = c.suite_id;
  END IF;
  RETURN NULL;
END
$$;

-- Each of these waits for the transactions that write cases, and those that follow wait until this one commits: so
-- what is counted below is all that the triggers did not count.
CREATE OR REPLACE TRIGGER count_added AFTER INSERT ON suite_case
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_cases();

CREATE OR REPLACE TRIGGER count_removed AFTER DELETE ON suite_case
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_cases();

CREATE OR REPLACE TRIGGER count_changed AFTER UPDATE ON suite_case
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_cases();

UPDATE suite s SET case_count = c.n, case_bytes = c.bytes FROM (
  SELECT suite_id, count(*)::int AS n, sum(octet_length(body)) AS bytes FROM suite_case GROUP BY 1
) c WHERE s.id = c.suite_id AND (s.case_count <> c.n OR s.case_bytes <> c.bytes);
