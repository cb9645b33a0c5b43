import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GIVE_WAY, yieldingLocks } from './give-way.js';
import { inTransaction, type Pool, type PoolClient } from './pool.js';

/**
 * Applies the SQL functions of a folder whose text this database never had, in one transaction: a process that dies on
 * the way leaves none of them behind. prisma/functions/README.md says how to change a function.
 *
 * `sql_function` remembers every text of a function, not only the last: a process of the previous release that restarts
 * alongside this one finds its text there and does not restore it. A function whose file is gone stays in the database,
 * because the previous release may call it.
 *
 * @returns the names of the files that were applied, without .sql
 */
export async function applyFunctions(pool: Pool, folder: string): Promise<string[]> {
  const functions = await readFunctions(folder);
  const apply = async (client: PoolClient): Promise<string[]> => {
    await client.query(GIVE_WAY);
    const applied: string[] = [];
    for (const { name, text, sha256 } of functions) {
      const remembered = await client.query(
        'INSERT INTO sql_function (name, sha256) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [name, sha256],
      );
      if (remembered.rowCount === 0) continue;
      await client.query(text);
      applied.push(name);
    }
    return applied;
  };
  return yieldingLocks(() => inTransaction(pool, apply));
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
