-- CreateTable
CREATE TABLE "run_figures" (
    "run_id" UUID NOT NULL,
    "scoring_id" UUID NOT NULL,
    "generation" SMALLINT NOT NULL,
    "counted_at" TIMESTAMPTZ(3),
    "facets" TEXT,
    "confusions" TEXT[],
    "other_failures" TEXT,
    "ranking" TEXT,
    "cases" INTEGER NOT NULL DEFAULT 0,
    "differing" INTEGER NOT NULL DEFAULT 0,
    "all_failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "run_figures_pkey" PRIMARY KEY ("run_id","scoring_id")
);

-- CreateTable
CREATE TABLE "case_figures" (
    "run_id" UUID NOT NULL,
    "scoring_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "generation" SMALLINT NOT NULL,
    "case_id" UUID NOT NULL,
    "name" TEXT,
    "prompt" TEXT NOT NULL,
    "category" TEXT,
    "scored" INTEGER[],
    "passed" INTEGER[],
    "errored" INTEGER[],
    "overall_sum" DOUBLE PRECISION[],
    "differs" BOOLEAN NOT NULL,
    "all_failed" BOOLEAN NOT NULL,

    CONSTRAINT "case_figures_pkey" PRIMARY KEY ("run_id","scoring_id","position")
);

-- CreateTable
CREATE TABLE "failure_group" (
    "run_id" UUID NOT NULL,
    "scoring_id" UUID NOT NULL,
    "nth" INTEGER NOT NULL,
    "generation" SMALLINT NOT NULL,
    "error_type" TEXT NOT NULL,
    "expected_tool" TEXT NOT NULL,
    "called_tool" TEXT NOT NULL,
    "argument" TEXT,
    "count" INTEGER NOT NULL,
    "by_target" INTEGER[],
    "targets" SMALLINT[],
    "positions" INTEGER[],
    "samples" SMALLINT[],

    CONSTRAINT "failure_group_pkey" PRIMARY KEY ("run_id","scoring_id","nth")
);

-- AddForeignKey
ALTER TABLE "run_figures" ADD CONSTRAINT "run_figures_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a worker looks for: few of all runs.
CREATE INDEX "run_figures_waiting" ON "run_figures"("run_id", "scoring_id") WHERE "counted_at" IS NULL;
-- The cases that are shown first: where models differ, and those that none passed.
CREATE INDEX "case_figures_differing" ON "case_figures"("run_id", "scoring_id", "position") WHERE "differs";
CREATE INDEX "case_figures_all_failed" ON "case_figures"("run_id", "scoring_id", "position") WHERE "all_failed";
