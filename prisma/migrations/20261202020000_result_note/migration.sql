-- CreateTable
CREATE TABLE "result_note" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "result_note_pkey" PRIMARY KEY ("run_id","target","case_position","sample")
);

-- CreateIndex
CREATE INDEX "result_note_team_id_idx" ON "result_note"("team_id");

-- AddForeignKey
ALTER TABLE "result_note" ADD CONSTRAINT "result_note_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
