import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { node, root } from '../../scripts/set-up.mjs';

/**
 * The folder of a built checkout: the given one, or that of a commit, built with the packages of this checkout.
 * @returns `remove` deletes what was created
 */
export async function buildOf(from) {
  if (existsSync(join(from, 'dist/apps/worker/worker-process.js'))) return { folder: resolve(from) };
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-before-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = execFileSync('git', ['archive', from], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    execFileSync(node, ['scripts/build.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
