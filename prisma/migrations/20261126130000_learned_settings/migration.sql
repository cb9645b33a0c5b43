-- AlterTable
ALTER TABLE "model" ADD COLUMN     "learned" TEXT NOT NULL DEFAULT '{}';

UPDATE model SET learned = jsonb_build_object('tool_choice',
  jsonb_build_object('way', 'auto', 'said', '', 'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))::text
WHERE refuses_required;
