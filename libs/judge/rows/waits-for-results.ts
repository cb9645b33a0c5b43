/** A report on an unfinished run waits until there are several more results, to avoid one run per result. */
export const WAITS_FOR_RESULTS = `
  SELECT 1 FROM judge_report p JOIN run w ON w.id = p.run_id JOIN job wj ON wj.id = w.job_id
  WHERE p.id = o.id AND p.choosing AND w.status IN ('pending', 'queued', 'running') AND wj.last_seq < p.seen_seq + 20
    AND NOT EXISTS (SELECT 1 FROM judgement g WHERE g.report_id = p.id AND g.state IN ('waiting', 'asked'))`;
