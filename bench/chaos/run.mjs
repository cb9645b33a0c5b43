// A storm of random faults during a long run. Prints what happened, and fails unless everything is exact and less
// than 1 % of the model requests were repeated.
//   node bench/chaos/run.mjs [items] [seconds of faults] [seed] [concurrency of each of two lanes] [--json]
import { cpus } from 'node:os';
import { storm } from './storm.mjs';

const json = process.argv.includes('--json');
const [items = 20_000, seconds = 120, seed = Date.now() % 1e6, concurrency = 12] = process.argv
  .slice(2)
  .filter((arg) => arg !== '--json')
  .map(Number);

process.stderr.write(`${cpus().length} cores, ${cpus()[0].model.trim()}; seed ${seed}\n`);
const report = await storm({
  seed,
  items,
  seconds,
  concurrency,
  latencyMs: 100,
  say: (text) => process.stderr.write(`${text}\n`),
});
console.log(JSON.stringify(report, null, json ? 0 : 2));
const bad = report.differences.length || report.watching.length || report.repeatedPercent >= 1;
process.exit(!json && bad ? 1 : 0);
