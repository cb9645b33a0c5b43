// Deletes large unused files from node_modules, at the end of an install. Running it twice is safe.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
const isSourceMap = (name) => /\.([cm]?js|[cm]?ts|css)\.map$/.test(name);
const isNodeOfPlatform = (name) => name.startsWith('node-');
const isQueryCompiler = (name) => name.startsWith('query_compiler_');

// Node's headers, which only compilers of native add-ons read. The package name contains the platform (67 MB).
const pinnedNode = join(packages, 'node/node_modules');
for (const name of namesIn(pinnedNode).filter(isNodeOfPlatform))
  rmSync(join(pinnedNode, name, 'include'), { recursive: true, force: true });

// Prisma's query compilers: only the types of its client are used (64 MB).
const prismaRuntime = join(packages, '@prisma/client/runtime');
for (const name of namesIn(prismaRuntime).filter(isQueryCompiler)) rmSync(join(prismaRuntime, name), { force: true });

// Sources next to their build output (22 MB).
for (const name of ['@anthropic-ai/sdk', 'gpt-tokenizer', 'openai', 'zod'])
  rmSync(join(packages, name, 'src'), { recursive: true, force: true });

// Editions of the language that no rule of the linter asks for (9 MB).
const editions = join(packages, 'es-abstract');
for (const name of namesIn(editions).filter((year) => /^20(1\d|2[0-2])$/.test(year)))
  rmSync(join(editions, name), { recursive: true, force: true });

// Other names of the same icons, and loading them by name (17 MB).
const icons = join(packages, 'lucide-react');
const isLoaderByName = (name) => /^dynamic/.test(name);
for (const name of ['dist/lucide-react.prefixed.d.ts', 'dist/lucide-react.suffixed.d.ts'])
  rmSync(join(icons, name), { force: true });
for (const name of namesIn(icons).filter(isLoaderByName)) rmSync(join(icons, name), { force: true });

// Source maps of packages, whose sources are mostly not published (109 MB).
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
