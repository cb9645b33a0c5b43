-- CreateTable
CREATE TABLE "prompt_version" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "suite_id" UUID,
    "label" TEXT NOT NULL DEFAULT '',
    "tags" TEXT[],
    "source" TEXT NOT NULL,
    "parent_id" UUID,
    "components" TEXT NOT NULL,
    "components_count" INTEGER NOT NULL,
    "origin" TEXT,
    "user_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prompt_version_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "prompt_version_team_id_id_idx" ON "prompt_version"("team_id", "id");

-- CreateIndex
CREATE INDEX "prompt_version_suite_id_id_idx" ON "prompt_version"("suite_id", "id");

-- CreateIndex
CREATE INDEX "prompt_version_parent_id_idx" ON "prompt_version"("parent_id");

-- AddForeignKey
ALTER TABLE "prompt_version" ADD CONSTRAINT "prompt_version_suite_id_fkey" FOREIGN KEY ("suite_id") REFERENCES "suite"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "prompt_version" ADD CONSTRAINT "prompt_version_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "prompt_version"("id") ON DELETE SET NULL ON UPDATE CASCADE;
