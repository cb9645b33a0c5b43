-- The newest migration of the release that applied a text of a function: which of two texts is the newer one.
ALTER TABLE "sql_function" ADD COLUMN     "migration" TEXT;
