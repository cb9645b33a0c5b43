// Reads jest's --json reports.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Of what a failed test says. */
const MAX_WHY_CHARACTERS = 800;

const read = (path) => (path && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
const nameOf = (path, folder = process.cwd()) => relative(folder, path);

/**
 * The files of a report, each with the names of its tests by outcome, and why those failed that did. A file that cannot
 * be loaded has one failure.
 */
const filesOf = (path, folder) =>
  new Map(
    (read(path)?.testResults ?? []).map(({ name, status, message, assertionResults }) => {
      const of = (wanted) => assertionResults.filter((test) => test.status === wanted);
      const named = (wanted) => of(wanted).map((test) => test.fullName);
      const failed = named('failed');
      const why = new Map(of('failed').map((test) => [test.fullName, shortened(test.failureMessages.join('\n'))]));
      if (status === 'failed' && failed.length === 0) {
        failed.push('the file itself');
        why.set('the file itself', shortened(message ?? ''));
      }
      return [nameOf(name, folder), { passed: named('passed'), failed, why, skipped: named('pending') }];
    }),
  );

/** Without colours and stack. */
function shortened(message) {
  const lines = stripVTControlCharacters(message).split('\n');
  const said = lines.filter((line) => line.trim() && !/^\s+at /.test(line)).map((line) => `    ${line}`);
  return said.join('\n').slice(0, MAX_WHY_CHARACTERS);
}

/**
 * What a first try found, and a second one of the files that failed in the first: a file of the second replaces that of
 * the first. `notes` say what passed only then, what failed, and what was left out.
 */
export function readReports(first, second) {
  const [before, after] = [filesOf(first), filesOf(second)];
  const last = new Map([...before, ...after]);
  const count = (outcome) => [...last.values()].reduce((total, file) => total + file[outcome].length, 0);
  const notes = [];
  for (const [name, { failed, why }] of before)
    for (const test of failed)
      if (!last.get(name).failed.includes(test))
        notes.push(`Passed only at the second try: ${name}: ${test}\n${why.get(test)}`);
  for (const [name, { why }] of last) for (const [test, said] of why) notes.push(`Failed: ${name}: ${test}\n${said}`);
  for (const [name, { skipped }] of last) {
    if (skipped.length) notes.push(`Left out: ${skipped.length} tests of ${name}, whose set-up failed`);
  }
  return {
    files: last.size,
    passed: count('passed'),
    failed: count('failed'),
    withFailures: failing(before),
    stillFailing: failing(last),
    failures: failuresOf(last),
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
