/** SQL of a subquery: the name and the suite of what the job `j` makes or rescores. */
export const JOB_SUBJECT = `(
  SELECT r.name, r.suite_name FROM run r
    WHERE j.type = 'tool_eval' AND r.id = j.result_ref::uuid AND r.team_id = j.team_id
  UNION ALL
  SELECT r.name, r.suite_name FROM rescore s JOIN run r ON r.id = s.run_id
    WHERE j.type = 'rescore' AND s.job_id = j.id AND r.team_id = j.team_id
  UNION ALL
  SELECT coalesce(o.name, g.name, r.name), coalesce(v.name, r.suite_name, s.name)
    FROM orchestration o LEFT JOIN gate g ON g.id = o.subject_id LEFT JOIN suite s ON s.id = g.suite_id
      LEFT JOIN suite_version v ON v.id = o.suite_version_id
      LEFT JOIN judge_report p ON p.id = o.id LEFT JOIN run r ON r.id = p.run_id
    WHERE j.type NOT IN ('tool_eval', 'rescore') AND o.id = j.result_ref::uuid AND o.team_id = j.team_id
  LIMIT 1
)`;
