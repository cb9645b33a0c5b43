// npm run docs:examples: uses a fresh Toolmark, and stores its requests and responses as the examples of /docs, in
// libs/contracts/examples/captured.json.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder, startToolmark } from '../fresh-toolmark.mjs';
import { root } from '../set-up.mjs';
import { chooseExamples } from './choose-examples.mjs';
import { keysByReference } from './gateway.mjs';
import { EXAMPLE_IDS, stabilise } from './stabilise.mjs';
import { playStory } from './story.mjs';
import { openTranscript } from './transcript.mjs';

const startedAt = Date.now();
const folder = freshFolder();
// The MCP server of the story listens on a port of its own.
const toolmark = await startToolmark(folder, { ...keysByReference(folder), TOOLMARK_ALLOWED_NETWORKS: '127.0.0.1' });
const transcript = await openTranscript(toolmark.url, toolmark.token);
const { base_url: simulator } = await toolmark.call('GET', '/api/providers/simulator');
const hosts = {
  [new URL(simulator).origin]: 'http://127.0.0.1:8502',
  [new URL(toolmark.url).origin]: 'https://toolmark.example.com',
};
const ids = await playStory(transcript, { simulatorUrl: new URL(simulator).origin, hosts });
await toolmark.stop('SIGTERM');
rmSync(folder, { recursive: true, force: true });

const captured = { examples: chooseExamples(transcript), problems: transcript.problems };
const { examples, problems } = stabilise(captured, { ids, hosts, startedAt });
// One line per schema, for readable diffs.
const lines = (object) =>
  Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
const parts = Object.entries({ ids: EXAMPLE_IDS, problems, examples });
const json = parts.map(([name, object]) => `"${name}":{\n${lines(object).join(',\n')}\n}`).join(',\n');
writeFileSync(join(root, 'libs/contracts/examples/captured.json'), `{\n${json}\n}\n`);
console.log(`Captured the examples of ${Object.keys(examples).length} schemas.`);
