import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyYet } from '#lib/runtime/wait-for-dependencies';
import { withAdvice } from './connection-fault.js';
import type { Pool } from './pool.js';
import { prismaFolder } from './prisma-folder.js';
import { readFunctions, type SqlFunction } from './sql-functions.js';

/** What a release ships: folders of prisma/migrations in their order, and files of prisma/functions. */
export interface KnownSchema {
  migrations: string[];
  functions: Pick<SqlFunction, 'name' | 'sha256'>[];
}

const NO_SUCH_TABLE = '42P01';

/**
 * Resolves if a database has every migration and SQL function of this release. It may be newer, by a release: what that
 * added disturbs nobody, and of its functions only the names are compared, because such a database may never have had
 * the texts of this release. Rows of migrations that failed or were rolled back do not count.
 *
 * @throws NotReadyYet what is missing, and how to apply it; or the error of Postgres
 */
export async function checkSchema(pool: Pool, known = ownSchema()): Promise<void> {
  const { migrations, functions } = await known;
  const missing = await pool
    .query<{ migrations: string[]; functions: string[] }>(
      `WITH applied AS (
         SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
       ), later AS (SELECT EXISTS (SELECT 1 FROM applied WHERE migration_name > $2 COLLATE "C") AS is_later)
       SELECT ARRAY(
         SELECT name FROM unnest($1::text[]) AS known (name) WHERE name NOT IN (SELECT migration_name FROM applied)
       ) AS migrations, ARRAY(
         SELECT name FROM unnest($3::text[], $4::text[]) AS known (name, sha256) WHERE NOT EXISTS (
           SELECT 1 FROM sql_function f
           WHERE f.name = known.name AND (f.sha256 = known.sha256 OR (SELECT is_later FROM later)))
       ) AS functions`,
      [migrations, migrations.at(-1), functions.map(({ name }) => name), functions.map(({ sha256 }) => sha256)],
    )
    .then(
      ({ rows }) => rows[0]!,
      (error: Error & { code?: string }) => {
        if (error.code !== NO_SUCH_TABLE) throw withAdvice(error);
        return { migrations, functions: functions.map(({ name }) => name) };
      },
    );
  const lacks = [counted('migration', missing.migrations), counted('function', missing.functions)].filter(Boolean);
  if (lacks.length > 0)
    throw new NotReadyYet(
      `the database lacks ${lacks.join(' and ')} of this release: run its migrate ` +
        '(npm run db:migrate, or the image with the argument migrate)',
    );
  await refuseIfTooOld(pool, migrations);
}

/**
 * A database tells which releases it is too new for: those that do not know its `oldest_migration`.
 * @param migrations those that this release knows, in their order
 * @throws NotReadyYet what to do
 */
export async function refuseIfTooOld(pool: Pool, migrations: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ oldest: string }>('SELECT oldest_migration() AS oldest');
  const [{ oldest }, last = ''] = [rows[0]!, migrations.at(-1)];
  if (last < oldest)
    throw new NotReadyYet(
      `this release is too old for the database: it knows migrations up to ${last}, and the database needs ` +
        `${oldest}. Run a newer image, or restore a backup from before the upgrade`,
    );
}

const counted = (what: string, [first, ...others]: string[]): string =>
  !first ? '' : others.length === 0 ? `${what} ${first}` : `${others.length + 1} ${what}s from ${first} on`;

let own: Promise<KnownSchema> | undefined;

/** Read once: a process is of one release. */
export const ownSchema = (): Promise<KnownSchema> => (own ??= readSchema());

async function readSchema(): Promise<KnownSchema> {
  const entries = await readdir(join(prismaFolder(), 'migrations'), { withFileTypes: true });
  return {
    migrations: entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
    functions: await readFunctions(join(prismaFolder(), 'functions')),
  };
}
