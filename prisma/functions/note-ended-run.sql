-- Has an ended run compared with the one before it: the last run of the same suite with the same models, each with the same
-- parameters of its own.
-- The points of trends are written then, too, and go when it is resumed.
-- When a run is resumed, gets another score or is deleted, those that were compared with it are compared again. Triggers
-- of run, because runs are also written by the release before.
CREATE OR REPLACE FUNCTION note_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'completed' OR NEW.status IN ('cancelled', 'budget_exceeded') AND NEW.score IS NOT NULL THEN
    INSERT INTO run_against (run_id, team_id, suite_id, models, finished_at)
    SELECT NEW.id, NEW.team_id, NEW.suite_id,
      coalesce(md5(string_agg(provider_key || '::' || model_id || ' ' || params, E'\n'
        ORDER BY provider_key, model_id, params)), ''),
      NEW.finished_at
    FROM target WHERE run_id = NEW.id
    ON CONFLICT (run_id) DO UPDATE SET revision = run_against.revision + 1, finished_at = excluded.finished_at;
    -- One that ended after it may have been compared with an earlier one, because this one had no score yet.
    UPDATE run_against SET revision = revision + 1 WHERE run_id = (
      SELECT later.run_id FROM run_against own JOIN run_against later ON later.team_id = own.team_id
        AND later.suite_id = own.suite_id AND later.models = own.models
        AND (later.finished_at, later.run_id) > (own.finished_at, own.run_id)
      WHERE own.run_id = NEW.id ORDER BY later.finished_at, later.run_id LIMIT 1
    );
  ELSE
    UPDATE run_against SET finished_at = NULL, revision = revision + 1 WHERE run_id = NEW.id;
    DELETE FROM trend_point WHERE run_id = NEW.id;
  END IF;
  UPDATE run_against SET revision = revision + 1 WHERE against_run_id = NEW.id;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER ended_run_against
  AFTER UPDATE OF status, score, generation ON run FOR EACH ROW WHEN (
    NEW.listed AND NEW.orchestration_id IS NULL AND NEW.extends_run_id IS NULL AND (
      OLD.score IS DISTINCT FROM NEW.score OR OLD.generation <> NEW.generation
      OR OLD.status <> NEW.status AND (
        OLD.status IN ('completed', 'cancelled', 'budget_exceeded', 'failed')
        OR NEW.status IN ('completed', 'cancelled', 'budget_exceeded', 'failed')
      )
    )
  ) EXECUTE FUNCTION note_ended_run();
