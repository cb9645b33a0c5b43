-- AlterTable
ALTER TABLE "target" ADD COLUMN     "not_found" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "unasked_why" TEXT;

-- CreateTable
CREATE TABLE "resting_model" (
    "provider_id" UUID NOT NULL,
    "model_id" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3),
    "why" TEXT NOT NULL,

    CONSTRAINT "resting_model_pkey" PRIMARY KEY ("provider_id","model_id")
);

-- AddForeignKey
ALTER TABLE "resting_model" ADD CONSTRAINT "resting_model_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "provider"("id") ON DELETE CASCADE ON UPDATE CASCADE;
