// What `npm start` and `npm test` need before anything else. Runs on Node 20 in a checkout where nothing is
// installed yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node that the project pins, whatever the machine has. */
export const node = join(root, 'node_modules/.bin/node');

/**
 * Node collects garbage in time, instead of when half a gigabyte of it lies about. Dockerfile and package.json say
 * the same.
 */
export const MEMORY_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=1024'];

/** The environment of every process of the project: it finds the pinned Node and the tools first. */
export const environment = () => ({
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
});

/** Installs the dependencies unless they are there, builds what changed. */
export function setUp(say) {
  if (!isInstalled()) {
    say('Installing the dependencies (once, a minute or two) ...');
    mustRun(
      'npm',
      ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      'npm ci failed; its message stands above.',
    );
  }
  mustRun(node, [join(root, 'scripts/build.mjs'), '--if-stale'], 'The build failed; its message stands above.');
}

/** Whether node_modules holds what package-lock.json says. Times of files say nothing: git sets them as it likes. */
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
  // npm's own output goes to standard error, so that a pipe of ours holds only what we say.
  const { status, error } = spawnSync(command, args, { cwd: root, env: environment(), stdio: ['ignore', 2, 2] });
  if (error) throw new Error(`${command} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(failure);
}
