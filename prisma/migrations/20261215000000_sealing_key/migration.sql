-- CreateTable
CREATE TABLE "sealing_key" (
    "prefix" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,

    CONSTRAINT "sealing_key_pkey" PRIMARY KEY ("prefix")
);
