// Parses every Redis Lua script and fails on syntax errors and on globals that Redis does not have: Redis itself finds
// a misspelt name only when the line runs. `npm run check` calls it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'luaparse';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The globals of https://redis.io/docs/latest/develop/programmability/lua-api/ that the scripts use. */
const GLOBALS = ['redis', 'KEYS', 'ARGV', 'math', 'tonumber', 'tostring'];

for (const path of readdirSync(join(root, 'libs'), { recursive: true }).filter((name) => name.endsWith('.lua'))) {
  const faults = faultsOf(readFileSync(join(root, 'libs', path), 'utf8'));
  for (const fault of faults) console.error(`libs/${path}: ${fault}`);
  if (faults.length) process.exitCode = 1;
}

function faultsOf(text) {
  try {
    const { globals } = parse(text, { luaVersion: '5.1', scope: true, locations: true });
    return globals
      .filter(({ name }) => !GLOBALS.includes(name))
      .map(({ name, loc }) => `line ${loc.start.line}: no global "${name}"; make it local, or correct its name`);
  } catch (error) {
    return [error.message];
  }
}
