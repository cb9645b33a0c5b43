// What jest's --json reports say: `files <report>` lists the files with failures; `counts <report> <report of a second try>` the
// tests that passed and failed, where a file of the second report counts instead of the same one of the first.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [what, ...paths] = process.argv.slice(2);
const files = new Map();
for (const path of paths.filter((one) => existsSync(one))) {
  for (const { name, status, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const count = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
    const failed = count('failed');
    files.set(name, { passed: count('passed'), failed: failed || (status === 'failed' ? 1 : 0) });
  }
}
const sum = (column) => [...files.values()].reduce((total, counts) => total + counts[column], 0);
if (what === 'files') for (const [name, { failed }] of files) if (failed) console.log(relative(process.cwd(), name));
if (what === 'counts') console.log(files.size ? `${sum('passed')} ${sum('failed')}` : '0 1');
