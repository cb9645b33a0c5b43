-- CreateIndex
CREATE INDEX "suite_version_case_case_id_version_id_idx" ON "suite_version_case"("case_id", "version_id");

-- CreateIndex
CREATE INDEX "run_suite_id_id_idx" ON "run"("suite_id", "id");
