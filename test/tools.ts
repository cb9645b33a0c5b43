import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Installs a tool that only one test uses, unless it is installed. It is in `test/tools/<name>` with a separate
 * lockfile, so that no other install includes it.
 * @returns its node_modules
 */
export const installTool = (name: string): string => installPackages(join('test/tools', name));

/**
 * Installs the packages of a folder with its own lockfile, unless they are installed.
 * @returns its node_modules
 */
export function installPackages(path: string): string {
  const folder = resolve(path);
  const modules = join(folder, 'node_modules');
  const packagesOf = (file: string): Record<string, { version: string }> =>
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
  const installed = packagesOf(join(modules, '.package-lock.json'));
  const locked = Object.entries(packagesOf(join(folder, 'package-lock.json')));
  if (locked.every(([name, { version }]) => name === '' || installed[name]?.version === version)) return modules;
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`);
  return modules;
}
