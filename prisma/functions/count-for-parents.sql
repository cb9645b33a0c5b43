-- Counts for a parent what becomes of its child runs: the items of each that is made, and what settles of them. Trigger
-- of `job` and `target`, in the transaction that makes or settles, so that the counters (`parent_counter`) say what is
-- there wherever a process dies, and whichever release settles. Rows are spread over shards, so that settles of one
-- parent do not wait for each other, and taken in the order of the key, so that two cannot wait for each other.
--
-- A resume takes errors back from its targets (`settled` falls); they stay counted here, as what was asked and paid for
-- them does. A run that is cancelled before it was looked through gets them back (`cancelPreparations`): they are counted
-- already, and what rises in a run that has ended is nothing else. A job whose parent is itself belongs to no
-- orchestration.
CREATE OR REPLACE FUNCTION count_for_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'job' THEN
    INSERT INTO parent_counter AS s (orchestration_id, generation, shard, total)
    SELECT o.id, p.generation, pg_backend_pid() % 16, sum(c.total)
    FROM added c JOIN job p ON p.id = c.parent_id JOIN orchestration o ON o.id = p.result_ref::uuid
    WHERE c.parent_id <> c.id
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (orchestration_id, generation, shard) DO UPDATE SET total = s.total + excluded.total;
  ELSE
    INSERT INTO parent_counter AS s (orchestration_id, generation, shard, done, errored, requests, cost_usd)
    SELECT r.orchestration_id, p.generation, pg_backend_pid() % 16, sum(a.settled - b.settled),
      sum(a.errored - b.errored), sum(a.requests - b.requests), sum(a.cost_usd - b.cost_usd)
    FROM after a JOIN before b USING (run_id, ordinal) JOIN run r ON r.id = a.run_id
      JOIN job c ON c.id = r.job_id JOIN job p ON p.id = c.parent_id
    WHERE a.settled > b.settled AND r.orchestration_id IS NOT NULL AND r.finished_at IS NULL
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (orchestration_id, generation, shard) DO UPDATE SET
      done = s.done + excluded.done, errored = s.errored + excluded.errored,
      requests = s.requests + excluded.requests, cost_usd = s.cost_usd + excluded.cost_usd;
  END IF;
  RETURN NULL;
END
$$;

-- Each of these waits for the transactions that write to its table, and those that follow wait until this one commits:
-- so what is counted below is all that the triggers did not count.
CREATE OR REPLACE TRIGGER count_for_parents AFTER INSERT ON job
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_for_parents();

CREATE OR REPLACE TRIGGER count_for_parents AFTER UPDATE ON target
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_for_parents();

-- Once: what there was before there were triggers, of jobs that have no counters yet. A migration has counted those
-- that had ended. What earlier generations have spent counts in the last one.
INSERT INTO parent_counter (orchestration_id, generation, shard, total, done, errored, requests, cost_usd)
SELECT o.id, p.generation, 0, c.total, c.done, c.errored, coalesce(t.requests, 0), coalesce(t.cost_usd, 0)
FROM orchestration o JOIN job p ON p.result_ref = o.id::text AND p.type = o.type
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(total), 0) AS total, coalesce(sum(done), 0) AS done, coalesce(sum(errored), 0) AS errored
    FROM job WHERE parent_id = p.id
  ) c
  LEFT JOIN LATERAL (
    SELECT sum(requests) AS requests, sum(cost_usd) AS cost_usd
    FROM (
      SELECT t.requests, t.cost_usd FROM run r JOIN target t ON t.run_id = r.id WHERE r.orchestration_id = o.id
      UNION ALL SELECT -requests, -cost_usd FROM parent_counter WHERE orchestration_id = o.id
    ) spent
  ) t ON p.id = o.job_id
WHERE NOT EXISTS (SELECT 1 FROM parent_counter k WHERE k.orchestration_id = o.id AND k.generation = p.generation)
  AND (c.total > 0 OR t.requests > 0);
