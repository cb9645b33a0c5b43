// Builds everything that a checkout needs to run: the Prisma client, then dist/ (SWC, about a second).
// `npm ci` runs it as `prepare`, so that `npm run toolmark` works right after an install.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const run = (command, args, env = {}) =>
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });

const client = join(root, 'libs/db/generated/client.ts');
const schema = join(root, 'prisma/schema.prisma');
if (!existsSync(client) || statSync(client).mtimeMs < statSync(schema).mtimeMs) {
  // `generate` asks for a schema engine that it never starts; any executable keeps it from downloading one.
  run(bin('prisma'), ['generate'], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' });
}
rmSync(join(root, 'dist'), { recursive: true, force: true });
run(bin('swc'), ['apps', 'libs', '-d', 'dist', '--ignore', '**/*.spec.ts', '--quiet']);
