-- CreateTable
CREATE TABLE "kept_view" (
    "user_id" UUID NOT NULL,
    "list" TEXT NOT NULL,
    "team_id" UUID NOT NULL,
    "value" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "kept_view_pkey" PRIMARY KEY ("user_id","list")
);

-- CreateTable
CREATE TABLE "mark" (
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "tags" TEXT[],
    "archived" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mark_pkey" PRIMARY KEY ("user_id","kind","subject_id")
);

-- CreateIndex
CREATE INDEX "mark_subject_id_idx" ON "mark"("subject_id");

-- AddForeignKey
ALTER TABLE "kept_view" ADD CONSTRAINT "kept_view_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mark" ADD CONSTRAINT "mark_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
