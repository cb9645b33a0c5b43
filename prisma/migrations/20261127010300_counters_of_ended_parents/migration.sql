-- What the child runs of parents that have ended came to, in a transaction of its own that locks nothing: it is as good
-- as all that there is, and changes no more. Those that go on, or that are resumed meanwhile, are counted when their
-- counters begin (prisma/functions/count-for-parents.sql). What earlier generations have spent counts in the last one.
INSERT INTO parent_counter (orchestration_id, generation, shard, total, done, errored, requests, cost_usd)
SELECT o.id, p.generation, 0, c.total, c.done, c.errored, coalesce(t.requests, 0), coalesce(t.cost_usd, 0)
FROM orchestration o JOIN job p ON p.result_ref = o.id::text AND p.type = o.type
  JOIN (
    SELECT parent_id, sum(total) AS total, sum(done) AS done, sum(errored) AS errored
    FROM job WHERE parent_id IS NOT NULL GROUP BY 1
  ) c ON c.parent_id = p.id
  LEFT JOIN (
    SELECT r.orchestration_id, sum(t.requests) AS requests, sum(t.cost_usd) AS cost_usd
    FROM run r JOIN target t ON t.run_id = r.id WHERE r.orchestration_id IS NOT NULL GROUP BY 1
  ) t ON t.orchestration_id = o.id AND p.id = o.job_id
WHERE p.status NOT IN ('pending', 'queued', 'running');
