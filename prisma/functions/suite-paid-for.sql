-- The suite that a run is paid for: its own; for requests to a judge that of the run that is judged, and for those to the
-- model that writes prompts that of the tune. Nil and no name for a case that is tried out without being stored.
CREATE OR REPLACE FUNCTION suite_paid_for(p_run uuid) RETURNS TABLE (suite_id uuid, suite_name text)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(paid.suite_id, '00000000-0000-0000-0000-000000000000'), coalesce(paid.suite_name, '')
  FROM run r LEFT JOIN LATERAL (
    SELECT r.suite_id, r.suite_name WHERE r.suite_id <> r.suite_version_id
    UNION ALL
    -- The requests are a version of their own, which has the id of what made it.
    SELECT judged.suite_id, judged.suite_name FROM judge_report b JOIN run judged ON judged.id = b.run_id
    WHERE r.suite_id = r.suite_version_id AND b.id = r.suite_id
    UNION ALL
    SELECT v.suite_id, v.name FROM orchestration o JOIN suite_version v ON v.id = o.suite_version_id
    WHERE r.suite_id = r.suite_version_id AND o.id = r.suite_id
    LIMIT 1
  ) paid ON true
  WHERE r.id = p_run
$$;
