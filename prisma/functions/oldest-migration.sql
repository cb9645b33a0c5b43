-- The last migration of the oldest release that works on this schema: the release before (test/earlier-release.txt). A
-- process that does not know it is too old for the database, and says so instead of failing at random statements.
CREATE OR REPLACE FUNCTION oldest_migration() RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '20261202060000_tune_name' $$;
