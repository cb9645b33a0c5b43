// Reads jest's --json reports of a first try and of a second one, which has only the files that failed in the first:
//   files <report>            prints the files with failures
//   counts <report> <second>  prints how many tests passed and failed; a file of the second report replaces the first's
//   notes <report> <second>   prints a line for what passed only at the second try, what failed and what was left out
// A file that cannot be loaded counts as one failure.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [what, ...paths] = process.argv.slice(2);

/** The files of a report, each with the names of its tests by outcome. */
function filesOf(path) {
  if (!path || !existsSync(path)) return new Map();
  return new Map(
    JSON.parse(readFileSync(path, 'utf8')).testResults.map(({ name, status, assertionResults }) => {
      const named = (wanted) => assertionResults.filter((test) => test.status === wanted).map((test) => test.fullName);
      const failed = named('failed');
      if (status === 'failed' && failed.length === 0) failed.push('the file itself');
      return [relative(process.cwd(), name), { passed: named('passed'), failed, skipped: named('pending') }];
    }),
  );
}

const [first, second] = paths.map(filesOf);
const last = new Map([...first, ...(second ?? [])]);
const count = (column) => [...last.values()].reduce((total, file) => total + file[column].length, 0);

if (what === 'files') for (const [name, { failed }] of first) if (failed.length) console.log(name);
if (what === 'counts') console.log(last.size ? `${count('passed')} ${count('failed')}` : '0 1');
if (what === 'notes') {
  for (const [name, { failed }] of first) {
    for (const test of failed)
      if (!last.get(name).failed.includes(test)) console.log(`Passed only at the second try: ${name}: ${test}`);
  }
  for (const [name, { failed }] of last) for (const test of failed) console.log(`Failed: ${name}: ${test}`);
  for (const [name, { skipped }] of last)
    if (skipped.length) console.log(`Left out: ${skipped.length} tests of ${name}, whose set-up failed`);
}
