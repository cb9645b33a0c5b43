import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { DriverAdapterError, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { ownSchema, refuseIfTooOld } from './check-schema.js';
import { CONNECTION_OPTIONS, createPool, LONG_QUERY_TIMEOUT_MS, type Pool } from './pool.js';
import { GIVE_WAY, yieldingLocks } from './give-way.js';
import { turnJitOff } from './jit.js';
import { prismaFolder } from './prisma-folder.js';
import { applyFunctions } from './sql-functions.js';

/** Node provides it, but only TypeScript's DOM library has its types. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** Lock number shared by all processes that migrate a database. The value is arbitrary. */
const MIGRATION_LOCK = 823_114_553;
const NO_SUCH_DATABASE = '3D000';
const ALREADY_EXISTS = ['42P04', '23505'];

/** What `migrate` applied. */
export interface Applied {
  migrations: string[];
  /** SQL functions (prisma/functions). */
  functions: string[];
  /** A sentence about what this role was not allowed to set. */
  advice: string | undefined;
}

/**
 * Brings a database to the newest schema: creates it if missing, applies pending migrations, then the SQL functions
 * whose text it never had. May be called repeatedly, and by many processes at once: an advisory lock lets one of them
 * work. Releases run side by side, so a migration must leave what the previous release needs.
 * @throws if this release is too old for the database
 *
 * Runs Prisma's schema engine as WebAssembly, because the engine that `prisma migrate` starts would have to be
 * downloaded first.
 */
export async function migrate(databaseUrl: string): Promise<Applied> {
  await createIfMissing(databaseUrl);
  const pool = createPool(databaseUrl, 2, undefined, LONG_QUERY_TIMEOUT_MS);
  const lock = await pool.connect();
  try {
    // Of a transaction, because a pooler lends a session to many. It lasts as long as this process.
    await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await lock.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const { rows } = await pool.query(`SELECT 1 FROM pg_proc WHERE proname = 'oldest_migration'`);
    const own = (await ownSchema()).migrations;
    if (rows.length > 0) await refuseIfTooOld(pool, own);
    const engine = await startEngine(pool);
    for (const migrationName of await interruptedMigrations(pool))
      await engine.markMigrationRolledBack({ migrationName });
    const { appliedMigrationNames: migrations } = await engine.applyMigrations({
      migrationsList: await readMigrations(),
      filters: { externalTables: [], externalEnums: [] },
    });
    const functions = await applyFunctions(pool, join(prismaFolder(), 'functions'), own.at(-1)!);
    return { migrations, functions, advice: await turnJitOff(pool) };
  } finally {
    lock.release(true); // Ends its transaction.
    await pool.end();
  }
}

/** A migration is one transaction: one that failed or was killed left nothing behind and may be applied again. */
async function interruptedMigrations(client: Pool): Promise<string[]> {
  const { rows: tables } = await client.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = '_prisma_migrations'`,
  );
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
  return rows.map((row) => row.migration_name);
}

/** The files of a schema: path and content of each. */
export type SchemaFiles = [path: string, content: string][];

/** The SQL that migrates one schema to another. It reads nothing from the database, so any database will do. */
export async function diffSchemas(before: SchemaFiles, after: SchemaFiles, databaseUrl: string): Promise<string> {
  const pool = createPool(databaseUrl, 1, undefined, LONG_QUERY_TIMEOUT_MS);
  try {
    const engine = await startEngine(pool);
    const asTarget = (files: SchemaFiles) => ({
      tag: 'schemaDatamodel' as const,
      files: files.map(([path, content]) => ({ path, content })),
    });
    const { stdout } = await engine.diff({
      from: asTarget(before),
      to: asTarget(after),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout ?? '';
  } finally {
    await pool.end();
  }
}

async function startEngine(pool: Pool): Promise<SchemaEngine> {
  const datamodels = await readSchema();
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScripts(pool));
  const { SchemaEngine } = await (engineModule ??= loadEngine());
  return SchemaEngine.new({ datamodels }, () => {}, adapter);
}

// Loaded once per process: the bindings keep the instance in a module variable.
let engineModule: ReturnType<typeof loadEngine> | undefined;

async function loadEngine() {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await readFile(
    fileURLToPath(new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm'))),
  );
  const imports = Object.entries(bindings).map(([name, binding]) => [
    name,
    name.startsWith('__wbg_setTimeout_') ? setQuietTimeout : binding,
  ]);
  const { instance } = await WebAssembly.instantiate(wasm, {
    './schema_engine_bg.js': Object.fromEntries(imports) as object,
  });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return bindings;
}

/** The engine leaves timers of ten seconds behind, which must not keep a process alive. */
const setQuietTimeout = (callback: () => void, ms: number): NodeJS.Timeout => setTimeout(callback, ms >>> 0).unref();

/**
 * Sends a migration to Postgres as a whole, which makes it one transaction, and retries until it gets its locks.
 * Prisma's adapter splits scripts at each `;`, even inside a function.
 */
class WholeScripts extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const pool = adapter.underlyingDriver();
    // The engine's own lock would last as long as a session, which a pooler lends to many. `migrate` holds another.
    for (const way of ['queryRaw', 'executeRaw'] as const) {
      const send = adapter[way].bind(adapter) as (query: { sql: string }) => Promise<never>;
      adapter[way] = (query) => send({ ...query, sql: query.sql.replace('advisory_lock(', 'advisory_xact_lock(') });
    }
    adapter.executeScript = async (script) => {
      await yieldingLocks(() => pool.query(`${GIVE_WAY};${script}`)).catch(
        ({ code = '', message, detail, hint, severity = 'ERROR' }: pg.DatabaseError) => {
          throw new DriverAdapterError({ kind: 'postgres', code, message, detail, hint, severity, column: undefined });
        },
      );
    };
    return adapter;
  }
}

export async function readSchema(): Promise<SchemaFiles> {
  const folder = join(prismaFolder(), 'schema');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.prisma')).sort();
  const paths = names.map((name) => join(folder, name));
  return Promise.all(paths.map(async (path): Promise<SchemaFiles[number]> => [path, await readFile(path, 'utf8')]));
}

async function readMigrations(): Promise<MigrationList> {
  const baseDir = join(prismaFolder(), 'migrations');
  const folders = (await readdir(baseDir, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: await readFile(join(baseDir, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      folders.sort().map(async (path) => {
        const value = await readFile(join(baseDir, path, 'migration.sql'), 'utf8');
        return { path, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } as const } };
      }),
    ),
  };
}

async function createIfMissing(databaseUrl: string): Promise<void> {
  try {
    return await (await connect(databaseUrl)).end();
  } catch (error) {
    if ((error as pg.DatabaseError).code !== NO_SUCH_DATABASE) throw error;
  }
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  const maintenance = await connect(Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href);
  try {
    await maintenance.query(`CREATE DATABASE ${maintenance.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process created it first.
    if (!ALREADY_EXISTS.includes((error as pg.DatabaseError).code ?? '')) throw error;
  } finally {
    await maintenance.end();
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ ...CONNECTION_OPTIONS, connectionString });
  await client.connect();
  return client;
}
