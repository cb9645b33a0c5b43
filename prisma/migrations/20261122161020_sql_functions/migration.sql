-- CreateTable
CREATE TABLE "sql_function" (
    "name" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sql_function_pkey" PRIMARY KEY ("name","sha256")
);
