// While processes are replaced, the release before works on the schema of this one.
import { readdirSync, readFileSync } from 'node:fs';
import { earlierRelease } from './earlier-release.js';

/** What breaks the release before, or keeps it from settling, by what it is called in a failure. */
const REFUSED: Record<string, RegExp> = {
  'removes what the release before reads': /\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION|TYPE|SEQUENCE|SCHEMA)\b/i,
  'removes a default that the release before relies on': /\bDROP\s+DEFAULT\b/i,
  'renames what the release before reads': /\bRENAME\b/i,
  'demands a value that the release before does not write': new RegExp(
    String.raw`\bSET\s+NOT\s+NULL\b|` +
      String.raw`\bADD\s+COLUMN\b(?:(?!\bADD\s+COLUMN\b|\bDEFAULT\b|\bGENERATED\b)[^;])*\bNOT\s+NULL\b` +
      String.raw`(?!\s+(DEFAULT|GENERATED)\b)`,
    'i',
  ),
  'changes a type': /\bALTER\s+TYPE\b|\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i,
  'keeps everybody from settling while it makes an index (ON ONLY result, then each partition)':
    /\bCREATE\s+(UNIQUE\s+)?INDEX\b[^;(]*\bON\s+(?!ONLY\b)("?public"?\.)?"?result"?\s*(USING\s+\w+\s*)?\(/i,
};
/**
 * The ways out, above a statement: since which release nothing reads or writes what it removes, or that something else
 * has the name of what it renames when the migration ends.
 */
const WAY_OUT = /--\s*(nothing (reads|writes|uses) it since \S+|another (takes|has) its name)/i;

/** What is wrong with a migration: each statement that is refused, and why. */
const faultsOf = (sql: string): string[] =>
  sql
    .split(';')
    .filter((statement) => !WAY_OUT.test(statement))
    .map((statement) =>
      statement
        .replace(/--.*$/gm, '')
        .replace(/\/\*[^]*?\*\//g, '')
        .trim(),
    )
    .flatMap((statement) =>
      Object.entries(REFUSED)
        .filter(([, pattern]) => pattern.test(statement))
        .map(([why]) => `${why}: ${statement}`),
    );

const { lastMigration } = earlierRelease();
const later = readdirSync('prisma/migrations')
  .filter((name) => /^\d+_/.test(name) && name > lastMigration)
  .map((name) => [name, readFileSync(`prisma/migrations/${name}/migration.sql`, 'utf8')] as const);

it('the release before works on every migration since then', () => {
  expect(readdirSync('prisma/migrations')).toContain(lastMigration);
  expect(later.flatMap(([name, sql]) => faultsOf(sql).map((fault) => `${name} ${fault}`))).toEqual([]);
});

it.each([
  'ALTER TABLE "run" DROP COLUMN "name";',
  'DROP TABLE run;',
  'ALTER TABLE run RENAME TO runs;',
  'ALTER TABLE run RENAME COLUMN a TO b;',
  'ALTER TABLE "run" ADD COLUMN "a" TEXT NOT NULL;',
  'ALTER TABLE "run" ADD COLUMN "a" TEXT NOT NULL DEFAULT 1,\nADD COLUMN "b" NUMERIC(10, 2) NOT NULL;',
  'ALTER TABLE run ALTER COLUMN a SET NOT NULL;',
  'ALTER TABLE run ALTER COLUMN a DROP DEFAULT;',
  'ALTER TABLE "run" ALTER COLUMN "a" SET DATA TYPE BIGINT;',
  `ALTER TYPE status ADD VALUE 'x';`,
  'CREATE INDEX a ON result (run_id);',
  'CREATE UNIQUE INDEX "a" ON "public"."result" USING btree ("run_id");',
])('%s is refused, unless nothing reads it since a release', (sql) => {
  expect(faultsOf(sql)).toHaveLength(1);
  expect(faultsOf(`SELECT 1;\n-- Nothing reads it since 0.4.\n${sql}`)).toEqual([]);
  expect(faultsOf(`-- Nothing reads it since 0.4.\nSELECT 1;\n${sql}`)).toHaveLength(1);
});

it.each([
  'ALTER TABLE run ADD COLUMN a TEXT, ADD COLUMN b INT NOT NULL DEFAULT 0, ADD COLUMN c INT DEFAULT 0 NOT NULL;',
  'CREATE TABLE a (b TEXT NOT NULL);',
  'CREATE INDEX a ON ONLY result (run_id);',
  'CREATE INDEX a ON result_note (run_id) WHERE b IS NOT NULL;',
  'DROP INDEX a; -- RENAME',
])('%s is additive', (sql) => {
  expect(faultsOf(sql)).toEqual([]);
});
