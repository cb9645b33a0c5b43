// Builds the page (apps/web) and compresses it. Fails if the build exceeds a budget: the first view, and the editor,
// which is loaded when a user edits JSON.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { node, root } from './set-up.mjs';

/** Bytes of gzipped JavaScript and CSS. */
const BUDGETS = { 'first view': 150_000, editor: 120_000 };
const FIRST_VIEW = ['features/home/screens/home-screen.tsx'];
/** Modules with this name are loaded on demand. */
const EDITOR = /editor/;
/** Prints, as the last line, the process's CPU time in milliseconds. */
const SAYS_CPU = `data:text/javascript,process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  console.log('\\n' + Math.round((user + system) / 1000));
})`;
const COMPRESSED = /\.(js|css|svg)$/;

/**
 * @returns the CPU milliseconds of the build, without compressing
 * @throws Error if the build fails or is over a budget
 */
export async function buildWeb(folder) {
  const { status, stdout, stderr } = spawnSync(
    // An image is built without install scripts, and therefore without the pinned Node.
    existsSync(node) ? node : process.execPath,
    [
      ...['--import', SAYS_CPU],
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      ...['--config', join(root, 'apps/web/vite.config.ts'), '--outDir', folder, '--logLevel', 'error'],
    ],
    // Vite prefers NODE_ENV to its own mode, so a build started by a test would contain React's development build.
    { cwd: root, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (status !== 0) throw new Error(`The build of the page failed.\n${stdout}${stderr}`);
  checkBudgets(folder);
  // Loaded only here: most starts find a page that is not stale.
  (await import('./build-guide.mjs')).buildGuide(join(folder, 'guide'));
  for (const name of readdirSync(join(folder, 'assets')).filter((file) => COMPRESSED.test(file))) {
    const file = join(folder, 'assets', name);
    const content = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(content));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(content, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 },
      }),
    );
  }
  return Number(stdout.trim().split('\n').at(-1));
}

function checkBudgets(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  for (const key of Object.keys(manifest)) refuseCircles(manifest, key);
  const editors = Object.keys(manifest).filter((key) => EDITOR.test(key) && manifest[key].isDynamicEntry);
  const start = Object.keys(manifest).filter((key) => manifest[key].name === 'page');
  if (start.length === 0) throw new Error("The page's build has no chunk that it starts with.");
  const firstView = filesOf(manifest, [...start, ...FIRST_VIEW]);
  const editor = new Set([...filesOf(manifest, editors)].filter((file) => !firstView.has(file)));
  const bytes = { 'first view': gzippedBytes(folder, firstView), editor: gzippedBytes(folder, editor) };
  const over = Object.entries(BUDGETS).filter(([what, budget]) => bytes[what] > budget);
  rmSync(join(folder, '.vite'), { recursive: true });
  if (over.length)
    throw new Error(
      over
        .map(([what, budget]) => `The page's ${what} has ${bytes[what]} bytes (gzip); the limit is ${budget}.`)
        .join('\n'),
    );
}

/** @throws Error if the chunk imports itself through others: what it holds could be read before it has run */
function refuseCircles(manifest, key, path = []) {
  if (path.includes(key)) throw new Error(`Chunks of the page import each other: ${[...path, key].join(', ')}.`);
  manifest[key].imports?.forEach((next) => refuseCircles(manifest, next, [...path, key]));
}

/** The files of these modules, of their static imports, and their stylesheets. */
function filesOf(manifest, modules) {
  const found = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The page's build has no ${key}.`);
    if (found.has(chunk.file)) return;
    found.add(chunk.file);
    chunk.css?.forEach((file) => found.add(file));
    chunk.imports?.forEach(visit);
  };
  modules.forEach(visit);
  return found;
}

const gzippedBytes = (folder, files) =>
  [...files]
    .filter((file) => statSync(join(folder, file)).isFile())
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
