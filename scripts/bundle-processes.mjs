// Bundles what processes and threads begin with, in the place of their first modules: to find and read two thousand
// files was most of a start. The other modules stay beside them, for the command line and for tools.
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const ENTRIES = [
  'apps/api/main',
  'apps/api/mcp/discovery-thread',
  'apps/api/results/reading-thread',
  'apps/api/threads/suite-thread',
  'apps/simulator/main',
  'apps/worker/items/lease-thread',
  'apps/worker/main',
  'apps/worker/quarantine-main',
  'apps/worker/scoring/scoring-thread',
  'libs/comparison/threads/comparison-thread',
  'libs/providers/reading/reading-thread',
];

/** @param dist the folder of the build */
export async function bundleProcesses(dist) {
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(dist, `${entry}.js`)])),
    platform: 'node',
    plugins: [ownModules(dist)],
    checks: { importIsUndefined: false }, // The type `z.infer`, in what decorators say of parameters.
  });
  await bundle.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    keepNames: true, // Nest and OpenAPI use the names of classes.
    comments: false,
  });
  await bundle.close();
}

/** Modules of this build, whatever was built before, each with the address that it has unbundled. */
function ownModules(dist) {
  return {
    name: 'own modules',
    resolveId: {
      filter: { id: /^[^./]/ },
      handler(id, _importer, { kind }) {
        if (id.startsWith('#lib/')) return join(dist, 'libs', `${id.slice('#lib/'.length)}.js`);
        // Packages that are imported when they are needed stay where they are.
        return kind === 'dynamic-import' ? { id, external: true } : undefined;
      },
    },
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (!id.startsWith(dist)) return undefined;
        return { code: code.replaceAll('import.meta.url', `ADDRESS_OF("${relative(dist, id)}")`), map: null };
      },
    },
    renderChunk(code, { fileName }) {
      const toDist = relative(dirname(fileName), '') || '.';
      return code.replaceAll(/ADDRESS_OF\("(.*?)"\)/g, `new URL("${toDist}/$1", import.meta.url).href`);
    },
  };
}
