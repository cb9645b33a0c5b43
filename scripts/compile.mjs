// Compiles TypeScript to JavaScript modules with source maps, file by file, with SWC (.swcrc).
import { transformFile } from '@swc/core';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { root } from './set-up.mjs';

const LEFT_OUT = /^apps\/web\/|^libs\/db\/generated\/|\.spec\.ts$/;

/** Whether a file, named from the root, is compiled: not the page (built by Vite), tests, and files with types only. */
export const isCompiled = (file) => /^(apps|libs)\/.*\.ts$/.test(file) && !LEFT_OUT.test(file);

/** Compiles all sources into `folder`, a sibling of `dist`. */
export async function compileAll(folder) {
  const files = ['apps', 'libs'].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true }).map((name) => join(part, name)),
  );
  await Promise.all(files.filter(isCompiled).map((file) => compileFile(file, folder)));
}

/** Compiles one file, named from the root, into `folder`. @throws Error with the position of a syntax error */
export async function compileFile(file, folder) {
  const to = join(folder, file.replace(/ts$/, 'js'));
  const { code, map } = await transformFile(join(root, file), {
    cwd: root,
    sourceFileName: relative(dirname(to), join(root, file)),
  });
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, `${code}\n//# sourceMappingURL=${basename(to)}.map`);
  writeFileSync(`${to}.map`, map);
}
