import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { writeFileSync } from 'node:fs';
import {
  disagreements,
  readConfigurations,
  REPLIES,
  TOOLS,
  VECTORS_FILE,
  wholeConfiguration,
  type Configuration,
} from '#lib/imports/promptfoo/testing/agreement';
import { installTool } from '../tools.js';

const kept = readConfigurations();
let resolved: Configuration[];

/** promptfoo resolves each configuration through its command line, which takes seconds each. */
beforeAll(() => {
  const modules = installTool('promptfoo');
  const asked = kept.map(({ config }) => ({ config: wholeConfiguration(config), tools: TOOLS, replies: REPLIES }));
  const { stdout, stderr } = spawnSync(
    resolve('node_modules/.bin/node'),
    [resolve('test/tools/promptfoo/resolve.mjs'), modules],
    { input: asked.map((one) => `${JSON.stringify(one)}\n`).join(''), encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  const answers = stdout.split('\n').filter((line) => line.startsWith('[') || line === 'null');
  if (answers.length !== kept.length) throw new Error(`${answers.length} of ${kept.length} answers: ${stderr}`);
  resolved = kept.map((one, index) => ({ ...one, resolved: JSON.parse(answers[index]!) as Configuration['resolved'] }));
  if (process.env.TOOLMARK_WRITE_VECTORS)
    writeFileSync(VECTORS_FILE, resolved.map((one) => `${JSON.stringify(one)}\n`).join(''));
}, 3_600_000);

describe('promptfoo itself', () => {
  it('resolves and grades the stored vectors as before', () => {
    if (!process.env.TOOLMARK_WRITE_VECTORS) expect(resolved).toEqual(kept);
  });

  it('agrees with the import of twenty configurations of each construct', async () => {
    const found = [];
    for (const one of resolved) found.push(...(await disagreements(one)));
    expect(found).toEqual([]);
  });
});
