// `npm run cli:bundle`: the command line as one file, dist/toolmark.mjs or the given file. It runs on Node 22 or later
// without node_modules or other files, and talks to a server.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = resolve(process.argv[2] ?? join(root, 'dist/toolmark.mjs'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { status, error } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/rolldown/bin/cli.mjs'),
    join(root, 'dist/apps/cli/main.js'),
    ...['--file', file, '--format', 'esm', '--platform', 'node', '--no-codeSplitting', '--minify'],
    '--comments.legal', // Package licences require their notices to be kept.
    ...['--transform.define', `BUNDLED_VERSION:${JSON.stringify(version)}`], // Read by apps/cli/installation.ts.
    ...['--postBanner', '#!/usr/bin/env node', '--logLevel', 'warn'],
  ],
  { stdio: 'inherit' },
);
if (error) throw error;
if (status === 0) chmodSync(file, 0o755);
process.exitCode = status ?? 1;
