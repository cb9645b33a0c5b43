// Reactions of `npm run dev` to a change: Vite builds the page, SWC compiles the changed file, and affected processes
// restart.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { environment, node, root } from './set-up.mjs';

/** An editor writes a file several times, and a formatter many files. */
const SETTLE_MS = 100;
/** Excludes editors' temporary files. */
const SOURCES = /\.(ts|lua|json|sql|prisma)$/;
const dist = join(root, 'dist');

/**
 * Watches apps, libs and prisma. `apps` are the AppProcess instances of `npm start`. @returns a function that stops it
 */
export async function startWatching({ apps, say, isStopping }) {
  buildAll();
  const page = watchPage();
  const changed = new Set();
  let timer;
  const unwatch = watchBelow(['apps', 'libs', 'prisma'], (file) => {
    changed.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => void build(), SETTLE_MS);
  });
  async function build() {
    const files = [...changed];
    changed.clear();
    // What does not build is built again with the next change.
    if (!(await isBuilt(files))) return files.forEach((file) => changed.add(file));
    const stale = apps.filter((app) => files.some((file) => isRunBy(app, file)));
    if (isStopping() || stale.length === 0) return;
    say(`${new Date().toLocaleTimeString()}  Built; restarting ${stale.map(({ name }) => name).join(', ')}.`);
    await Promise.all(stale.map((app) => app.restart()));
  }
  async function isBuilt(files) {
    const { compileFile, isCompiled } = await import('./compile.mjs');
    const isEachCompiled = files.every((file) => isCompiled(file) && existsSync(join(root, file)));
    // A test run may have replaced the files with bundles in the meantime.
    if (!isEachCompiled || !existsSync(join(dist, '.unbundled')))
      return files.every((file) => file.endsWith('.spec.ts')) || buildAll();
    const faults = await Promise.all(files.map((file) => compileFile(file, dist).catch(({ message }) => message)));
    for (const fault of faults.filter(Boolean)) say(fault);
    return faults.every((fault) => fault === undefined);
  }
  return {
    stop: async () => {
      unwatch();
      page.kill();
    },
  };
}

/**
 * Calls back with each file that changes below the folders, except generated files and the page. Each folder has its
 * own watch: Node's recursive one loses a file that an editor replaces. @returns a function that stops it
 */
function watchBelow(folders, onChange) {
  const watchers = new Map();
  const watchFolder = (folder, isNew) => {
    if (folder === 'apps/web' || folder.endsWith('/generated')) return;
    // A folder that was removed and made again needs a new watch.
    watchers.get(folder)?.close();
    const look = (name, isChanged) => {
      const path = `${folder}/${name}`;
      if (isFolder(path)) watchFolder(path, isChanged);
      else if (isChanged && SOURCES.test(name)) onChange(path);
    };
    watchers.set(
      folder,
      watch(join(root, folder), (_event, name) => look(name, true)),
    );
    for (const name of namesIn(folder)) look(name, isNew);
  };
  for (const folder of folders) watchFolder(folder, false);
  return () => watchers.forEach((watcher) => watcher.close());
}

/** None if the folder has been removed since. */
function namesIn(folder) {
  try {
    return readdirSync(join(root, folder));
  } catch {
    return [];
  }
}

const isFolder = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @returns whether the build succeeded; it prints its own errors */
function buildAll() {
  const args = [join(root, 'scripts/build.mjs'), '--for-watch'];
  return spawnSync(node, args, { cwd: root, env: environment(), stdio: 'inherit' }).status === 0;
}

/** Old assets stay until the next full build, so that an open page still finds them. */
function watchPage() {
  const options = ['--outDir', join(dist, 'web'), '--emptyOutDir', 'false', '--logLevel', 'warn'];
  return spawn(
    node,
    [
      ...['--import', join(root, 'scripts/stop-with-parent.mjs')],
      ...[join(root, 'node_modules/vite/bin/vite.js'), 'build', '--watch'],
      ...['--config', join(root, 'apps/web/vite.config.ts'), ...options],
    ],
    { cwd: root, env: { ...environment(), NODE_ENV: 'production' }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
}

/** Every process runs all of libs. */
function isRunBy(app, file) {
  if (file.endsWith('.spec.ts')) return false;
  return !file.startsWith('apps/') || file.startsWith(`apps/${app.app}/`);
}
