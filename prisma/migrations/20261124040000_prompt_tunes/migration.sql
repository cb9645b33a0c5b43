-- CreateTable
CREATE TABLE "prompt_candidate" (
    "tune_id" UUID NOT NULL,
    "candidate" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "iteration" INTEGER NOT NULL,
    "parents" INTEGER[],
    "texts" TEXT NOT NULL,
    "changed" TEXT NOT NULL,
    "why" TEXT,
    "ask" TEXT,
    "length" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "scores" TEXT NOT NULL,
    "per_case" TEXT NOT NULL,
    "digest" TEXT NOT NULL,

    CONSTRAINT "prompt_candidate_pkey" PRIMARY KEY ("tune_id","candidate")
);

-- CreateTable
CREATE TABLE "prompt_ask" (
    "tune_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "task" TEXT NOT NULL,
    "components" TEXT NOT NULL,
    "proposals" TEXT,
    "unreadable" TEXT,

    CONSTRAINT "prompt_ask_pkey" PRIMARY KEY ("tune_id","key")
);

-- AddForeignKey
ALTER TABLE "prompt_candidate" ADD CONSTRAINT "prompt_candidate_tune_id_fkey" FOREIGN KEY ("tune_id") REFERENCES "orchestration"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "prompt_ask" ADD CONSTRAINT "prompt_ask_tune_id_fkey" FOREIGN KEY ("tune_id") REFERENCES "orchestration"("id") ON DELETE CASCADE ON UPDATE CASCADE;
