// Builds what a checkout needs to run: the Prisma client, the page (Vite; kept if its sources are unchanged), then
// dist/ (SWC for TypeScript, copies of the Lua scripts, of known prices and of captured examples; about a second), then
// bundles of the processes (bundle-processes.mjs; some seconds). `npm ci` runs it as `prepare`, so that `npm run
// toolmark` works right after an install. With `--if-stale` it builds only after a change. With `--for-watch` it makes
// no bundles and keeps the page: `npm run dev` then compiles each changed file in place.
import { spawnSync } from 'node:child_process';
import { buildWeb } from './build-web.mjs';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** When a file below the path was last changed; a folder's time shows when one was added, moved or removed. */
const newest = (path) =>
  Math.max(
    changedAt(path),
    ...(statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name !== 'generated')
          .map((name) => newest(join(path, name)))
      : []),
  );

const newestOf = (paths) => Math.max(...paths.map((path) => newest(join(root, path))));

const dist = join(root, 'dist');
const client = join(root, 'libs/db/generated/client.ts');
const schema = join(root, 'prisma/schema');
const isForWatch = process.argv.includes('--for-watch');
const stamp = join(dist, '.built');
const kinds = ['gate', 'judge', 'param-tune', 'prompt-tune', 'tuning'];
const webSources = [
  ...[
    'apps/web',
    'libs/contracts',
    'libs/client',
    'package.json',
    'docs',
    'scripts/build-web.mjs',
    'scripts/build-guide.mjs',
  ],
  ...kinds.flatMap((kind) => [`libs/${kind}/contract.ts`, `libs/${kind}/kind.ts`]),
];
const sources = [
  'apps',
  'libs',
  'prisma/schema',
  '.swcrc',
  'package.json',
  'scripts/build.mjs',
  'scripts/build-web.mjs',
  'scripts/compile.mjs',
  'scripts/bundle-processes.mjs',
];

/** Without bundles, which `npm run dev` leaves behind, processes start slowly. */
const isUnbundled = () => !isForWatch && existsSync(join(dist, '.unbundled'));
const isStale = () => !existsSync(client) || isUnbundled() || changedAt(stamp) <= newestOf(sources);

try {
  if (!process.argv.includes('--if-stale') || isStale()) await build();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function build() {
  const startedAt = new Date();
  if (changedAt(client) <= newest(schema)) generateClient();
  // Built in a separate folder and swapped in, so that a process that starts meanwhile finds the old build or the new
  // one, never half of one.
  const fresh = `${dist}.${process.pid}`;
  const old = `${fresh}.old`;
  try {
    // Loaded only here: most starts find a build that is not stale.
    const { compileAll } = await import('./compile.mjs');
    await compileAll(fresh);
    await addWeb(join(fresh, 'web'));
    const isRead = (path) => /\.lua$|known-prices\.json$|captured\.json$/.test(path);
    for (const file of readdirSync(join(root, 'libs'), { recursive: true }).filter(isRead))
      cpSync(join(root, 'libs', file), join(fresh, 'libs', file));
    if (isForWatch) writeFileSync(join(fresh, '.unbundled'), '');
    else await (await import('./bundle-processes.mjs')).bundleProcesses(fresh);
    writeFileSync(join(fresh, '.built'), '');
    utimesSync(join(fresh, '.built'), startedAt, startedAt); // A file saved during the build counts as newer.
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    rmSync(old, { recursive: true, force: true });
    rmSync(fresh, { recursive: true, force: true });
  }
}

function generateClient() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/generate-client.mjs')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The Prisma client was not generated.\n${stdout}${stderr}`);
}

/** Reuses the last build of the page if its sources have not changed since, or if Vite watches them. */
async function addWeb(folder) {
  const last = join(dist, 'web');
  const builtAt = new Date();
  const isCurrent = changedAt(join(last, '.built')) > newestOf(webSources);
  if (isCurrent || (isForWatch && existsSync(last)))
    return cpSync(last, folder, { recursive: true, preserveTimestamps: true });
  // Contains the build's CPU time, which .ci/run reads.
  writeFileSync(join(folder, '.built'), String(await buildWeb(folder)));
  utimesSync(join(folder, '.built'), builtAt, builtAt);
}
