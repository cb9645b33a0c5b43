// Deletes from node_modules what nothing here reads and is large, at the end of an install. Deleting twice does no
// harm.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
const isSourceMap = (name) => /\.([cm]?js|[cm]?ts|css)\.map$/.test(name);
const isNodeOfPlatform = (name) => name.startsWith('node-');
const isOtherDatabase = (name) =>
  name.startsWith('query_compiler_') && !name.startsWith('query_compiler_fast_bg.postgresql.');

// Node's headers, which only a compiler of native add-ons reads; the package is named after the platform (67 MB).
const pinnedNode = join(packages, 'node/node_modules');
for (const name of namesIn(pinnedNode).filter(isNodeOfPlatform))
  rmSync(join(pinnedNode, name, 'include'), { recursive: true, force: true });

// Prisma's compilers of queries for other databases than PostgreSQL, and the small and slow one for it (60 MB).
const prismaRuntime = join(packages, '@prisma/client/runtime');
for (const name of namesIn(prismaRuntime).filter(isOtherDatabase)) rmSync(join(prismaRuntime, name), { force: true });

// Source maps of every package: they lead a debugger to sources of other people, most of which are not published
// (109 MB).
deleteSourceMaps(packages);

function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function deleteSourceMaps(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) deleteSourceMaps(path);
    else if (isSourceMap(entry.name)) rmSync(path, { force: true });
  }
}
