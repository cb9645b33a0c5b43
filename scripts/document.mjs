// npm run docs: writes the generated tables of the documentation between their markers. With --check it only lists the
// outdated pages, as `npm run check` does.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { auditActions } from './document/audit.mjs';
import { commands, exitCodes } from './document/cli.mjs';
import { liveTables } from './document/live.mjs';
import { noteCodes, problemCodes } from './document/problems.mjs';
import { metricInputs } from './document/scoring.mjs';
import { envExample, settings } from './document/settings.mjs';
import { values } from './document/values.mjs';
import { root } from './set-up.mjs';

const PAGES = {
  'deploy/helm/toolmark/README.md': { values },
  'docs/cli.md': { commands, 'exit codes': exitCodes },
  'docs/live.md': { events: liveTables },
  'docs/operations.md': { settings, 'audit actions': auditActions },
  'docs/problems.md': { problems: problemCodes, notes: noteCodes },
  'docs/scoring.md': { metrics: metricInputs },
};
const stale = [];
for (const [path, sections] of Object.entries(PAGES))
  await write(path, async (page) => {
    for (const [name, render] of Object.entries(sections)) page = replaced(page, path, name, await render());
    return format(page, { ...(await resolveConfig(join(root, path))), filepath: path });
  });
await write('.env.example', envExample);
if (stale.length) {
  console.error(`Not up to date, run npm run docs: ${stale.join(', ')}`);
  process.exitCode = 1;
}

function replaced(page, path, name, text) {
  const [begin, end] = [`<!-- npm run docs: ${name} -->\n`, '<!-- end -->'];
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end, from);
  if (from < begin.length || to < 0) throw new Error(`${path} has no markers for ${name}`);
  return `${page.slice(0, from)}\n${text}\n\n${page.slice(to)}`;
}

async function write(path, render) {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  const after = await render(before);
  if (after === before) return;
  if (process.argv.includes('--check')) stale.push(path);
  else writeFileSync(file, after);
}
