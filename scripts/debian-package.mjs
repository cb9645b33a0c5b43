// Programs on this machine, and from Debian packages.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function findOnPath(program) {
  for (const folder of `${process.env.PATH}${delimiter}/usr/local/sbin${delimiter}/usr/sbin`.split(delimiter)) {
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Try the next folder.
    }
  }
  return undefined;
}

/**
 * Installs a package as root on Debian and Ubuntu; otherwise does nothing. Its services are not started.
 * @returns the error of a failed installation
 */
export function installPackage(name, say) {
  if (process.getuid?.() !== 0 || !findOnPath('apt-get')) return undefined;
  say(`Installing ${name} (apt-get install ${name}) ...`);
  const run = (command, ...args) =>
    spawnSync(command, args, {
      encoding: 'utf8',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    });
  // Debian asks this program whether a package may start its services.
  // https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt
  const policy = '/usr/sbin/policy-rc.d';
  const ownPolicy = !existsSync(policy);
  if (ownPolicy) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const install = () => run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', name);
    let result = install();
    if (result.status !== 0) {
      run('apt-get', 'update', '-qq'); // A fresh machine or image has no package lists.
      result = install();
    }
    return result.status === 0 ? undefined : `apt-get install ${name} failed: ${result.stderr.trim()}`;
  } finally {
    if (ownPolicy) rmSync(policy, { force: true });
  }
}
