// npm run docs:live: writes the tables of docs/live.md from the schemas of live events (libs/contracts/event.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, setUp } from './set-up.mjs';

setUp(console.error);
const { renderLivePage } = await import('../dist/libs/contracts/examples/live-page.js');
const page = join(root, 'docs/live.md');
writeFileSync(page, renderLivePage(readFileSync(page, 'utf8')));
