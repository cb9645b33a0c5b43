import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GIVE_WAY, yieldingLocks } from './give-way.js';
import { inTransaction, type Pool, type PoolClient } from './pool.js';

/**
 * Applies the SQL functions of a folder whose text this database does not have, in one transaction: a process that dies
 * on the way leaves none of them behind. prisma/functions/README.md says how to change a function.
 *
 * `sql_function` remembers every text that was applied, when, and by which release. So a process of an earlier release
 * that migrates alongside this one restores none of its texts, and what one has nevertheless restored, because it found
 * no trace of itself in a database that a later release had made, is put right by the next that migrates. A function
 * whose file is gone stays in the database, because the previous release may call it.
 *
 * @param migration the newest migration of this release
 * @returns the names of the files that were applied, without .sql
 */
export async function applyFunctions(pool: Pool, folder: string, migration: string): Promise<string[]> {
  const functions = await readFunctions(folder);
  const apply = async (client: PoolClient): Promise<string[]> => {
    await client.query(GIVE_WAY);
    const applied: string[] = [];
    for (const one of functions) {
      if (!(await isDue(client, one, migration))) continue;
      await client.query(
        `INSERT INTO sql_function (name, sha256, migration) VALUES ($1, $2, $3) ON CONFLICT (name, sha256)
         DO UPDATE SET migration = excluded.migration, applied_at = excluded.applied_at`,
        [one.name, one.sha256, migration],
      );
      await client.query(one.text);
      applied.push(one.name);
    }
    return applied;
  };
  return yieldingLocks(() => inTransaction(pool, apply));
}

/** Whether the database lacks a text, or a release from before the given migration has replaced it. */
async function isDue(client: PoolClient, { name, sha256 }: SqlFunction, migration: string): Promise<boolean> {
  const { rows } = await client.query<{ sha256: string; migration: string | null }>(
    'SELECT sha256, migration FROM sql_function WHERE name = $1 ORDER BY applied_at DESC, migration DESC NULLS LAST',
    [name],
  );
  const last = rows[0];
  if (!last || last.sha256 === sha256) return !last;
  if (last.migration === null || last.migration < migration) return true;
  // Of this release, as while it is made, or of a later one.
  return last.migration === migration && !rows.some((row) => row.sha256 === sha256);
}

export interface SqlFunction {
  /** Of its file, without .sql. */
  name: string;
  text: string;
  sha256: string;
}

/** The SQL functions of a folder, in the order in which they are applied. */
export async function readFunctions(folder: string): Promise<SqlFunction[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { name: basename(file, '.sql'), text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
