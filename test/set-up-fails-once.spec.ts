import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'toolmark-set-up-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** What jest reports for a file of tests. */
function runFile(
  text: string,
  ...more: string[]
): { counts: [passed: number, failed: number, skipped: number]; messages: string } {
  writeFileSync(join(folder, 'some.spec.js'), text);
  const config = { rootDir: folder, testEnvironment: resolve('test/jest/set-up-fails-once.mjs') };
  const args = ['--config', JSON.stringify(config), '--json', ...more];
  const report = JSON.parse(
    spawnSync(resolve('node_modules/.bin/jest'), args, { cwd: folder, encoding: 'utf8' }).stdout,
  );
  return {
    counts: [report.numPassedTests, report.numFailedTests, report.numPendingTests],
    messages: report.testResults[0].message,
  };
}
const NO_DATABASE = `beforeAll(() => { throw new Error('There is no database.'); });`;
const TESTS =
  "it('one', () => {}); it('two', () => {}); describe('some', () => { beforeAll(() => { throw new " +
  "Error('Too late.'); }); it('three', () => {}); });";

it('a failing set-up fails one test, with its own reason, and the tests that needed it are skipped', () => {
  const { counts, messages } = runFile(`let pool; ${NO_DATABASE} ${TESTS} afterAll(() => pool.end());`);
  expect(counts).toEqual([0, 1, 2]);
  expect(messages.match(/● .*\s+.*/g)).toEqual([expect.stringMatching(/● one\s+There is no database\./)]);
});

it('it fails one of the tests that were asked for', () => {
  expect(runFile(`${NO_DATABASE} ${TESTS}`, '-t', 'two').counts).toEqual([0, 1, 2]);
});

it('the set-up of some tests takes no others with it', () => {
  expect(
    runFile(`it('before', () => {}); describe('some', () => { ${NO_DATABASE} ${TESTS} }); it('after', () => {});`)
      .counts,
  ).toEqual([2, 1, 2]);
});

it('a test that fails by itself takes no others with it', () => {
  expect(
    runFile(
      "it('one', () => { throw new Error('No.'); }); it('two', () => { throw new Error('No.'); }); " +
        "it('three', () => {});",
    ).counts,
  ).toEqual([1, 2, 0]);
});
