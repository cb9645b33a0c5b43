-- CreateTable
CREATE TABLE "try_out" (
    "run_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "try_out_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "try_out_team_id_user_id_idx" ON "try_out"("team_id", "user_id");
