-- AlterTable
ALTER TABLE "team" ADD COLUMN     "cache_days" INTEGER NOT NULL DEFAULT 30;

-- CreateTable
CREATE TABLE "cached_reply" (
    "team_id" UUID NOT NULL,
    "key" BYTEA NOT NULL,
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cached_reply_pkey" PRIMARY KEY ("team_id","key")
);

-- CreateIndex
CREATE INDEX "cached_reply_team_id_asked_at_idx" ON "cached_reply"("team_id", "asked_at");
