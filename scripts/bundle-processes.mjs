// Bundles the entry modules of processes and threads in place: finding and reading two thousand files took most of a
// start. The other modules stay next to them, for the command line and for tools.
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
    checks: { importIsUndefined: false }, // The type `z.infer`, in decorator metadata of parameters.
  });
  await bundle.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    keepNames: true, // Nest and OpenAPI use class names.
    comments: false,
  });
  await bundle.close();
}

/** Modules of this build only, each with the URL that it has unbundled. */
function ownModules(dist) {
  return {
    name: 'own modules',
    resolveId: {
      filter: { id: /^[^./]/ },
      handler(id, _importer, { kind }) {
        if (id.startsWith('#lib/')) return join(dist, 'libs', `${id.slice('#lib/'.length)}.js`);
        // Dynamically imported packages stay external.
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
