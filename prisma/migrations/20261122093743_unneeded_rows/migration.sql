-- AlterTable
ALTER TABLE "team" ADD COLUMN     "embedding_changed_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "run_suite_version_id_idx" ON "run"("suite_version_id");

-- What keeps a lane in use.
CREATE INDEX "target_lane_unfinished" ON "target" ("lane_id") WHERE finished_at IS NULL;

CREATE FUNCTION note_embedding_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE team SET embedding_changed_at = now() WHERE id = coalesce(NEW.team_id, OLD.team_id);
  RETURN NULL;
END
$$;
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON embedding_model FOR EACH ROW EXECUTE FUNCTION note_embedding_change();

-- Those that changed it before there was this note.
UPDATE team SET embedding_changed_at = now() WHERE EXISTS (SELECT 1 FROM embedding e WHERE e.team_id = team.id);
