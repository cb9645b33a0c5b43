-- CreateTable
CREATE TABLE "rescore" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "options" TEXT NOT NULL,
    "scoring_version" SMALLINT NOT NULL,
    "next_target" SMALLINT NOT NULL DEFAULT 0,
    "next_case" INTEGER NOT NULL DEFAULT 0,
    "next_sample" SMALLINT NOT NULL DEFAULT 0,
    "score" DOUBLE PRECISION,
    "summaries" TEXT NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rescore_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rescored" (
    "run_id" UUID NOT NULL,
    "rescore_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "passed" BOOLEAN NOT NULL,
    "tool_score" DOUBLE PRECISION,
    "param_score" DOUBLE PRECISION,
    "overall" DOUBLE PRECISION,
    "error_type" TEXT NOT NULL,
    "format_compliance" TEXT,
    "called" TEXT NOT NULL,
    "evidence" TEXT,
    "metrics" TEXT,

    CONSTRAINT "rescored_pkey" PRIMARY KEY ("run_id","rescore_id","target","case_position","sample")
) PARTITION BY RANGE ("run_id");

-- CreateTable
CREATE TABLE "embedding_model" (
    "team_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "model_id" TEXT NOT NULL,

    CONSTRAINT "embedding_model_pkey" PRIMARY KEY ("team_id")
);

-- CreateTable
CREATE TABLE "embedding" (
    "team_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "embedding_pkey" PRIMARY KEY ("team_id","model","hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "rescore_job_id_key" ON "rescore"("job_id");

-- CreateIndex
CREATE INDEX "rescore_run_id_id_idx" ON "rescore"("run_id", "id");

-- AddForeignKey
ALTER TABLE "embedding_model" ADD CONSTRAINT "embedding_model_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "provider"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- As before, for one more table.
CREATE OR REPLACE FUNCTION ensure_partitions(until timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month timestamp; -- in UTC
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_partitions'));
  FOREACH parent IN ARRAY ARRAY['result', 'exchange', 'rescored'] LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC');
    WHILE month AT TIME ZONE 'UTC' < until LOOP
      partition := parent || '_' || to_char(month, 'YYYY_MM');
      IF to_regclass(partition) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', partition, parent,
          uuid7_floor(month AT TIME ZONE 'UTC'), uuid7_floor((month + interval '1 month') AT TIME ZONE 'UTC'));
        IF parent = 'exchange' THEN
          -- Already compressed: Postgres should not try again.
          EXECUTE format('ALTER TABLE %I ALTER COLUMN body SET STORAGE EXTERNAL', partition);
        END IF;
      END IF;
      month := month + interval '1 month';
    END LOOP;
  END LOOP;
END
$$;
CREATE TABLE "rescored_default" PARTITION OF "rescored" DEFAULT;
SELECT ensure_partitions(now() + interval '3 months');
