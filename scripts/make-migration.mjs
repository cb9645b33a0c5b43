// node scripts/make-migration.mjs <name>: after an edit of prisma/schema, writes the migration from the last
// migration's schema to the current one. Review it before you commit it, and add by hand what a Prisma schema cannot
// express (partitions).
//
// SQL functions need no migration: edit or add a file in prisma/functions, whose README explains how. A DROP FUNCTION
// is written only for a deleted file.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startPostgres } from './postgres.mjs';
import { root, setUp } from './set-up.mjs';

const name = process.argv[2];
if (!/^[a-z0-9_]+$/.test(name ?? '')) {
  console.error('Name the migration, in a-z, 0-9 and _: node scripts/make-migration.mjs add_team_colour');
  process.exit(1);
}
setUp(console.error);
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const lastMigration = git('log', '-1', '--format=%H', '--', 'prisma/migrations').trim();

const sql = [await diffOfSchema(), ...dropsOfFunctions()].filter((part) => part !== '').join('\n');
if (sql === '') {
  console.log(
    `prisma/schema has not changed since ${lastMigration.slice(0, 7)}: there is nothing to migrate. ` +
      'Files of prisma/functions are applied without a migration.',
  );
} else {
  const file = `prisma/migrations/${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}_${name}/migration.sql`;
  mkdirSync(join(root, file, '..'), { recursive: true });
  writeFileSync(join(root, file), sql);
  console.log(`${file}:\n\n${sql}`);
}

async function diffOfSchema() {
  const { diffSchemas, readSchema } = await import('../dist/libs/db/connection/migrate.js');
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-migration-'));
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({ folder, logFile: join(folder, 'postgres.log'), durable: false });
  const diff = await diffSchemas(
    schemaAt(lastMigration),
    await readSchema(),
    postgres.url.replace(/\/toolmark$/, '/postgres'),
  );
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
  return diff.includes('This is an empty migration') ? '' : diff;
}

/** The schema files as of a commit; early commits have a single file. */
function schemaAt(commit) {
  const paths = git('ls-tree', '-r', '--name-only', commit, 'prisma').split('\n');
  return paths.filter((path) => path.endsWith('.prisma')).map((path) => [path, git('show', `${commit}:${path}`)]);
}

/** IF EXISTS: databases created after this never had the function. */
function dropsOfFunctions() {
  return git('diff', '--name-only', '--diff-filter=D', lastMigration, '--', 'prisma/functions')
    .split('\n')
    .filter((path) => path.endsWith('.sql'))
    .map((path) => `DROP FUNCTION IF EXISTS "${basename(path, '.sql').replaceAll('-', '_')}";\n`);
}
