import type pg from 'pg';
import type { Pool } from './pool.js';

const SET_FOR_DATABASE = `
  SELECT quote_ident(current_database()) AS name, current_setting('jit')::bool AS is_on, EXISTS (
    SELECT 1 FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) AS one
    WHERE d.datname = current_database() AND s.setrole = 0 AND one LIKE 'jit=%') AS is_set`;

/**
 * Turns JIT off for new sessions of this database, unless somebody has set it there: compiling a statement that
 * Postgres expects to be long takes half a second, and all of ours are short. Poolers refuse settings of a session.
 *
 * @returns what somebody else must do, where this role is not allowed to
 */
export async function turnJitOff(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string; is_on: boolean; is_set: boolean }>(SET_FOR_DATABASE);
  const { name, is_on, is_set } = rows[0]!;
  if (is_set) return undefined;
  const statement = `ALTER DATABASE ${name} SET jit = off`;
  try {
    await pool.query(statement);
  } catch (error) {
    const { message } = error as pg.DatabaseError;
    return !is_on
      ? undefined
      : `JIT could not be turned off for the database ${name} (${message}). Its owner should run: ${statement}`;
  }
}

/** Whether statements of this session may be compiled. */
export async function isJitOn(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ on: boolean }>(
    `SELECT CASE WHEN current_setting('jit')::bool THEN pg_jit_available() ELSE false END AS on`,
  );
  return rows[0]!.on;
}
