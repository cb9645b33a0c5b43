-- AlterTable
ALTER TABLE "run" ADD COLUMN     "estimate" TEXT,
ADD COLUMN     "started_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "target_provider_id_model_id_finished_at_idx" ON "target"("provider_id", "model_id", "finished_at");
