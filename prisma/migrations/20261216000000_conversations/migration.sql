-- AlterTable
ALTER TABLE "suite" ADD COLUMN     "conversation" TEXT;

-- AlterTable
ALTER TABLE "suite_version" ADD COLUMN     "conversation" TEXT,
ADD COLUMN     "has_conversations" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "conversation_round" (
    "run_id" UUID NOT NULL,
    "target" SMALLINT NOT NULL,
    "case_position" INTEGER NOT NULL,
    "sample" SMALLINT NOT NULL,
    "round" SMALLINT NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "conversation_round_pkey" PRIMARY KEY ("run_id","target","case_position","sample","round")
) PARTITION BY RANGE ("run_id");

CREATE TABLE "conversation_round_default" PARTITION OF "conversation_round" DEFAULT;
-- Already compressed: Postgres should not try again.
ALTER TABLE "conversation_round_default" ALTER COLUMN "body" SET STORAGE EXTERNAL;
