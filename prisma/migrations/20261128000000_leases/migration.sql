-- What one process at a time works on, by its name. Nothing is lost with it: what was under way begins anew.
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);
