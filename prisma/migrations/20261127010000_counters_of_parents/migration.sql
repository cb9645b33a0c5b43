-- CreateTable
CREATE TABLE "parent_counter" (
    "orchestration_id" UUID NOT NULL,
    "generation" SMALLINT NOT NULL,
    "shard" SMALLINT NOT NULL,
    "total" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "errored" INTEGER NOT NULL DEFAULT 0,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "cost_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "parent_counter_pkey" PRIMARY KEY ("orchestration_id","generation","shard")
);

-- AddForeignKey
ALTER TABLE "parent_counter" ADD CONSTRAINT "parent_counter_orchestration_id_fkey" FOREIGN KEY ("orchestration_id") REFERENCES "orchestration"("id") ON DELETE CASCADE ON UPDATE CASCADE;
