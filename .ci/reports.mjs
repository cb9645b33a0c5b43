// Reads jest's --json reports.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const read = (path) => (path && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
const nameOf = (path, folder = process.cwd()) => relative(folder, path);

/** The files of a report, each with the names of its tests by outcome. A file that cannot be loaded has one failure. */
const filesOf = (path, folder) =>
  new Map(
    (read(path)?.testResults ?? []).map(({ name, status, assertionResults }) => {
      const named = (wanted) => assertionResults.filter((test) => test.status === wanted).map((test) => test.fullName);
      const failed = named('failed');
      if (status === 'failed' && failed.length === 0) failed.push('the file itself');
      return [nameOf(name, folder), { passed: named('passed'), failed, skipped: named('pending') }];
    }),
  );

/**
 * What a first try found, and a second one of the files that failed in the first: a file of the second replaces that of
 * the first. `notes` say what passed only then, what failed, and what was left out.
 */
export function readReports(first, second) {
  const [before, after] = [filesOf(first), filesOf(second)];
  const last = new Map([...before, ...after]);
  const count = (outcome) => [...last.values()].reduce((total, file) => total + file[outcome].length, 0);
  const notes = [];
  for (const [name, { failed }] of before)
    for (const test of failed)
      if (!last.get(name).failed.includes(test)) notes.push(`Passed only at the second try: ${name}: ${test}`);
  const failures = failuresOf(last);
  notes.push(...failures.map((failure) => `Failed: ${failure}`));
  for (const [name, { skipped }] of last) {
    if (skipped.length) notes.push(`Left out: ${skipped.length} tests of ${name}, whose set-up failed`);
  }
  return {
    files: last.size,
    passed: count('passed'),
    failed: count('failed'),
    withFailures: failing(before),
    stillFailing: failing(last),
    failures,
    notes,
  };
}

const failing = (files) => [...files].filter(([, { failed }]) => failed.length > 0).map(([name]) => name);

/** What failed, each as file and test. */
const failuresOf = (files) => [...files].flatMap(([name, { failed }]) => failed.map((test) => `${name}: ${test}`));

/** Which of these failures a report of the tests in another folder has, too. */
export function failingThereToo(failures, report, folder) {
  const there = new Set(failuresOf(filesOf(report, folder)));
  return failures.filter((failure) => there.has(failure));
}

/** The slowest files of some reports, in seconds: in all, and of that outside of tests (loading, hooks). */
export function slowestFiles(reports, count) {
  return reports
    .flatMap((path) => read(path)?.testResults ?? [])
    .map(({ name, startTime, endTime, assertionResults }) => {
      const all = (endTime - startTime) / 1000;
      const within = assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000;
      return { name: nameOf(name), all, setUp: Math.max(0, all - within), count: assertionResults.length };
    })
    .sort((a, b) => b.all - a.all)
    .slice(0, count);
}

/** What jest itself says at the end of a run. */
export function linesOf(path) {
  const report = read(path);
  if (!report) return [];
  const line = (what, { passed, failed, pending, total }) =>
    `${what}: ${failed} failed, ${pending} skipped, ${passed} passed, ${total} total`;
  const of = (kind) => ({
    passed: report[`numPassed${kind}`],
    failed: report[`numFailed${kind}`],
    pending: report[`numPending${kind}`],
    total: report[`numTotal${kind}`],
  });
  return [line('Test Suites', of('TestSuites')), line('Tests', of('Tests'))];
}
