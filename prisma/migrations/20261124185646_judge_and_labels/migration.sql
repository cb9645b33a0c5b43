-- CreateTable
CREATE TABLE "judge_report" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "root_id" UUID NOT NULL,
    "version" SMALLINT NOT NULL,
    "run_id" UUID NOT NULL,
    "baseline_id" UUID,
    "judge" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL DEFAULT '',
    "source" TEXT NOT NULL,
    "asked_by" UUID,
    "choosing" BOOLEAN NOT NULL DEFAULT true,
    "seen_seq" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "judge_report_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "judgement" (
    "report_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "other_target" SMALLINT,
    "other_case_position" INTEGER,
    "other_sample" SMALLINT,
    "passed" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "suspicious" BOOLEAN NOT NULL DEFAULT false,
    "verdict" TEXT,
    "agreement" TEXT,
    "expectation_at_fault" BOOLEAN NOT NULL DEFAULT false,
    "flipped" BOOLEAN NOT NULL DEFAULT false,
    "said" TEXT,
    "error" TEXT,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "cost_usd" DOUBLE PRECISION,
    "draw_probability" DOUBLE PRECISION,

    CONSTRAINT "judgement_pkey" PRIMARY KEY ("report_id","position")
);

-- CreateTable
CREATE TABLE "label" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "user_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "label" TEXT NOT NULL,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "label_pkey" PRIMARY KEY ("run_id","target","case_position","sample","user_id")
);

-- CreateTable
CREATE TABLE "judge_setting" (
    "team_id" UUID NOT NULL,
    "judge" TEXT,
    "instructions" TEXT NOT NULL DEFAULT '',
    "auto_below" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "judge_setting_pkey" PRIMARY KEY ("team_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "judge_report_asked_by_key" ON "judge_report"("asked_by");

-- CreateIndex
CREATE INDEX "judge_report_team_id_id_idx" ON "judge_report"("team_id", "id");

-- CreateIndex
CREATE INDEX "judge_report_run_id_idx" ON "judge_report"("run_id");

-- CreateIndex
CREATE INDEX "judge_report_baseline_id_idx" ON "judge_report"("baseline_id");

-- CreateIndex
CREATE INDEX "judge_report_team_id_fingerprint_idx" ON "judge_report"("team_id", "fingerprint");

-- CreateIndex
CREATE UNIQUE INDEX "judge_report_root_id_version_key" ON "judge_report"("root_id", "version");

-- CreateIndex
CREATE INDEX "judgement_run_id_target_case_position_sample_idx" ON "judgement"("run_id", "target", "case_position", "sample");

-- CreateIndex
CREATE INDEX "label_team_id_idx" ON "label"("team_id");

-- AddForeignKey
ALTER TABLE "judge_report" ADD CONSTRAINT "judge_report_id_fkey" FOREIGN KEY ("id") REFERENCES "orchestration"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "judgement" ADD CONSTRAINT "judgement_report_id_fkey" FOREIGN KEY ("report_id") REFERENCES "judge_report"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "label" ADD CONSTRAINT "label_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
