-- AlterTable
ALTER TABLE "provider" ADD COLUMN     "access_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "api_key_ref" TEXT,
ADD COLUMN     "client_certificate" TEXT,
ADD COLUMN     "headers" TEXT NOT NULL DEFAULT '[]',
ADD COLUMN     "resealed_at" TIMESTAMPTZ(3),
ADD COLUMN     "sealed_client_certificate" TEXT,
ADD COLUMN     "sealed_headers" TEXT;

-- CreateTable
CREATE TABLE "instance_secret" (
    "name" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "instance_secret_pkey" PRIMARY KEY ("name")
);
