// The exact queries and writes of a worker of the last release without levels. Remove this once upgrades from that
// release are no longer supported.

/** Its queries for work: ids of runs, or of lanes. */
export const FINDS = {
  busyLanes: `WITH work AS (
      SELECT DISTINCT lane_id FROM target WHERE active
    ), held AS (
      SELECT lane_id, worker, count(*)::int AS n FROM in_flight GROUP BY lane_id, worker
    ), flight AS (
      SELECT lane_id, sum(n)::int AS n, count(worker)::int AS workers, coalesce(bool_or(worker = 'w'), false) AS here
      FROM held GROUP BY lane_id
    )
    SELECT l.id FROM lane l LEFT JOIN work w ON w.lane_id = l.id LEFT JOIN flight f ON f.lane_id = l.id
    WHERE l.id IN (SELECT lane_id FROM work UNION ALL SELECT lane_id FROM flight)`,
  backlogs: `SELECT t.run_id AS id FROM target t JOIN run r ON r.id = t.run_id JOIN team tm ON tm.id = r.team_id
    WHERE t.active AND (r.model_order <> 'sequential' OR NOT EXISTS (
      SELECT 1 FROM target earlier
      WHERE earlier.run_id = t.run_id AND earlier.provider_id = t.provider_id AND earlier.ordinal < t.ordinal
        AND earlier.active))`,
  unclaimed: `SELECT run_id AS id FROM in_flight i JOIN lane l ON l.id = i.lane_id
    WHERE i.lane_id = l.id AND worker IS NULL AND queued_at < now() - 2000 * interval '1 ms'`,
  stuckAt: `SELECT l.id FROM in_flight i JOIN lane l ON l.id = i.lane_id
    WHERE i.worker IS NULL AND i.queued_at < now() - interval '2 s' AND l.paused_at IS NULL GROUP BY l.id`,
  expired: `SELECT run_id AS id FROM in_flight i JOIN lane l ON l.id = i.lane_id WHERE lease_until < now()`,
};

/** Its writes for work that it found all the same; `$1` is the id of the run, the rescore or the parent. */
export const WRITES = {
  'the summary of a target': `UPDATE target t SET summary = '{}', finished_at = now() FROM run r
    WHERE t.run_id = $1 AND t.ordinal = 0 AND t.finished_at IS NULL AND r.id = t.run_id AND r.generation = 1
    RETURNING r.job_id, r.status`,
  'the score of a run': `UPDATE run r SET score = s.score, delta = NULL, differs = '{}', comparison = NULL
    FROM (SELECT 1 AS score) s WHERE r.id = $1 RETURNING r.job_id, r.score`,
  'the end of a run': `UPDATE run SET status = 'completed', finished_at = now() WHERE id = $1 AND status = 'running'`,
  'the figures of a run': `UPDATE run_figures f SET counted_at = now(), facets = '{}' FROM run r
    WHERE f.run_id = $1 AND f.counted_at IS NULL AND r.id = f.run_id AND r.generation = f.generation`,
  'the figures of a case': `INSERT INTO case_figures (run_id, scoring_id, generation, position, case_id, name, prompt,
      category, scored, passed, errored, overall_sum, differs, all_failed)
    SELECT run_id, scoring_id, generation, 0, run_id, NULL, '', NULL, '{}', '{}', '{}', '{}', false, false
    FROM run_figures WHERE run_id = $1`,
  'a comparison in an experiment': `INSERT INTO experiment_comparison (experiment_id, run_id, against_run_id,
      run_generation, against_generation, comparison)
    SELECT e.id, r.id, r.id, 1, 1, '{}' FROM run r JOIN experiment e ON e.id = r.experiment_id WHERE r.id = $1`,
  'a page of a rescore': `UPDATE rescore SET next_target = 0, next_case = 1, next_sample = 0 WHERE run_id = $1`,
  'the end of a rescore': `UPDATE rescore SET summaries = '[]', score = 1 WHERE run_id = $1`,
  'a step of a parent': `UPDATE orchestration SET state = '{}', step = NULL, revision = revision + 1
    WHERE subject_id = $1 AND job_id = job_id AND revision = 0`,
};
