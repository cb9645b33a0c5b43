-- AlterTable
ALTER TABLE "orchestration" ADD COLUMN     "token_id" UUID;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "given_by" TEXT NOT NULL DEFAULT 'owner',
ADD COLUMN     "person_id" UUID,
ADD COLUMN     "removed_at" TIMESTAMPTZ(3),
ADD COLUMN     "removed_by" TEXT,
ADD COLUMN     "role" TEXT;

-- AlterTable
ALTER TABLE "token" ADD COLUMN     "created_by" UUID,
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_used_address" TEXT,
ADD COLUMN     "last_used_agent" TEXT,
ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "monthly_cap_usd" DOUBLE PRECISION,
ADD COLUMN     "reads_only" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "suite_ids" UUID[];

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "address" TEXT,
ADD COLUMN     "agent" TEXT,
ADD COLUMN     "claims_read_at" TIMESTAMPTZ(3),
ADD COLUMN     "id" UUID NOT NULL DEFAULT gen_random_uuid(),
ADD COLUMN     "idle_hours" SMALLINT NOT NULL DEFAULT 12,
ADD COLUMN     "person_id" UUID,
ADD COLUMN     "provider" TEXT,
ADD COLUMN     "provider_sid" TEXT,
ADD COLUMN     "refresh_token" TEXT,
ADD COLUMN     "rereading_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "rescore" ADD COLUMN     "token_id" UUID;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "token_id" UUID;

-- CreateTable
CREATE TABLE "token_spending" (
    "token_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "shard" SMALLINT NOT NULL,
    "cost_usd" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "token_spending_pkey" PRIMARY KEY ("token_id","month","shard")
);

-- CreateTable
CREATE TABLE "person" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'person',
    "issuer" TEXT,
    "subject" TEXT,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signed_in_at" TIMESTAMPTZ(3),

    CONSTRAINT "person_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "finished_sign_in" (
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "finished_sign_in_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "invitation" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "note" TEXT,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_by" UUID,
    "accepted_at" TIMESTAMPTZ(3),
    "withdrawn_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device_login" (
    "id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "user_code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "polled_at" TIMESTAMPTZ(3),
    "user_id" UUID,
    "role" TEXT,
    "refused_at" TIMESTAMPTZ(3),
    "approved_with" UUID,
    "token_id" UUID,

    CONSTRAINT "device_login_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "person_issuer_subject_key" ON "person"("issuer", "subject");

-- CreateIndex
CREATE INDEX "finished_sign_in_expires_at_idx" ON "finished_sign_in"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_hash_key" ON "invitation"("hash");

-- CreateIndex
CREATE INDEX "invitation_team_id_id_idx" ON "invitation"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "device_login_hash_key" ON "device_login"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "device_login_user_code_key" ON "device_login"("user_code");

-- CreateIndex
CREATE INDEX "device_login_address_created_at_idx" ON "device_login"("address", "created_at");

-- CreateIndex
CREATE INDEX "device_login_expires_at_idx" ON "device_login"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "users_person_id_team_id_key" ON "users"("person_id", "team_id");

-- CreateIndex
CREATE INDEX "token_user_id_idx" ON "token"("user_id");

-- CreateIndex
CREATE INDEX "session_person_id_idx" ON "session"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_id_key" ON "session"("id");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
