// A database of its own: it rewrites the history of migrations.
import { earlierRelease } from '../../../test/earlier-release.js';
import { createDatabase } from '../../../test/services.js';
import { checkSchema } from './check-schema.js';
import { createPool, type Pool } from './pool.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 1)), 60_000);
afterAll(() => pool.end());

/** In a transaction that is rolled back: what a process says of a database after these statements. */
async function checkedAfter(...statements: string[]): Promise<string> {
  try {
    for (const statement of ['BEGIN', ...statements]) await pool.query(statement);
    return await checkSchema(pool).then(
      () => 'ready',
      ({ message }: Error) => message,
    );
  } finally {
    await pool.query('ROLLBACK');
  }
}

const LAST = `(SELECT max(migration_name) FROM _prisma_migrations)`;
const WITHOUT_LAST = `DELETE FROM _prisma_migrations WHERE migration_name = ${LAST}`;
const another = (name: string, finished: string, rolledBack: string): string =>
  `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, rolled_back_at, started_at)
   SELECT gen_random_uuid(), 'x', ${name}, ${finished}, ${rolledBack}, now()`;
const OTHER_TEXT = `UPDATE sql_function SET sha256 = 'another' WHERE name = 'settle-items'`;

it('a process is ready for a database with every migration and function that it knows', async () => {
  expect(await checkedAfter()).toBe('ready');
});

it('it names what a database lacks, and how to apply it', async () => {
  expect(await checkedAfter('DROP TABLE _prisma_migrations')).toMatch(
    /^the database lacks \d+ migrations from 20261121000000_init on and \d+ functions from count-cases on /,
  );
  expect(await checkedAfter(WITHOUT_LAST)).toMatch(/^the database lacks migration 2026\w+ of this release: run its /);
  expect(await checkedAfter(OTHER_TEXT)).toMatch(/lacks function settle-items of .*migrate/);
});

it('a migration that failed or was rolled back is not there; one that was applied afterwards is', async () => {
  const failed = another(LAST, 'NULL', 'now()');
  expect(await checkedAfter(failed)).toBe('ready');
  for (const [finished, rolledBack] of [
    ['NULL', 'NULL'],
    ['NULL', 'now()'],
    ['now()', 'now()'],
  ])
    expect(
      await checkedAfter(
        `UPDATE _prisma_migrations SET finished_at = ${finished}, rolled_back_at = ${rolledBack}
         WHERE migration_name = ${LAST}`,
      ),
    ).toMatch(/lacks migration 2026/);
});

it('a release that is older than the database allows says so, and what to do', async () => {
  const needs = (migration: string): string =>
    `CREATE OR REPLACE FUNCTION oldest_migration() RETURNS text LANGUAGE sql AS $$ SELECT '${migration}' $$`;
  expect(await checkedAfter(needs('29991231000000_later'))).toMatch(
    /^this release is too old for the database: .* up to 2026\w+, .* 29991231000000_later\. Run a newer/,
  );
  expect(await checkedAfter(needs('20261121000000_init'))).toBe('ready');
  expect((await pool.query('SELECT oldest_migration() AS oldest')).rows).toEqual([
    { oldest: earlierRelease().lastMigration },
  ]);
});

it('a database of a later release is ready, with texts of functions that this one does not know', async () => {
  const later = another(`'29991231000000_later'`, 'now()', 'NULL');
  expect(await checkedAfter(later, OTHER_TEXT)).toBe('ready');
  expect(await checkedAfter(WITHOUT_LAST, later)).toMatch(/lacks migration/);
  expect(await checkedAfter(later, `DELETE FROM sql_function WHERE name = 'settle-items'`)).toMatch(/lacks function/);
});
