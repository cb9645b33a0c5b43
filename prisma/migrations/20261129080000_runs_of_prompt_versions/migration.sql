-- The runs of a prompt version, those of earlier releases, too: `libs/db/read/prompt-use.ts` finds them by this text.
-- Readers do not wait for it, and writers for as long as it reads the table once.
CREATE INDEX "run_prompt_version" ON "run"
  ((substring("config" from '"prompt_version_id":"([0-9a-f-]{36})"')), "id")
  WHERE "listed" AND substring("config" from '"prompt_version_id":"([0-9a-f-]{36})"') IS NOT NULL;
