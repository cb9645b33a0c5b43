-- CreateTable
CREATE TABLE "mcp_source" (
    "suite_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "transport" TEXT NOT NULL,
    "server_name" TEXT NOT NULL,
    "server_version" TEXT NOT NULL,
    "instructions" TEXT,
    "tool_names" TEXT[],
    "read_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_source_pkey" PRIMARY KEY ("suite_id")
);

-- AddForeignKey
ALTER TABLE "mcp_source" ADD CONSTRAINT "mcp_source_suite_id_fkey" FOREIGN KEY ("suite_id") REFERENCES "suite"("id") ON DELETE CASCADE ON UPDATE CASCADE;
