// Common setup of `npm start` and `npm test`. Runs on Node 20 in a checkout without node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The pinned Node, whatever the machine has. */
export const node = join(root, 'node_modules/.bin/node');

/**
 * Without these flags Node lets half a gigabyte of garbage accumulate. Dockerfile and package.json have the same flags.
 */
export const MEMORY_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=1024'];
/**
 * Makes glibc return large blocks to the system at once, and limits the number of arenas that hold freed memory.
 * Dockerfile and package.json have the same settings.
 */
export const MEMORY_ENV = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** The environment of every process of the project: pinned Node and local tools come first on the PATH. */
export const environment = () => ({
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
});

/** Installs missing dependencies and builds what has changed. */
export function setUp(say) {
  if (!isInstalled()) {
    say('Installing the dependencies (once, a minute or two) ...');
    mustRun(
      'npm',
      ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      'npm ci failed; its message is above.',
    );
  }
  mustRun(node, [join(root, 'scripts/build.mjs'), '--if-stale'], 'The build failed; its message is above.');
}

/** Whether node_modules matches package-lock.json. File times are not usable, because git sets them. */
function isInstalled() {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record) || !existsSync(node)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, { version, optional, devOptional, peer }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional || devOptional || peer),
  );
}

function mustRun(command, args, failure) {
  // npm's output goes to standard error, so that standard output has only ours.
  const { status, error } = spawnSync(command, args, { cwd: root, env: environment(), stdio: ['ignore', 2, 2] });
  if (error) throw new Error(`${command} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(failure);
}
