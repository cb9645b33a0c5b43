import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-set-up-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NO_DATABASE = `beforeAll(() => { throw new Error('There is no database.'); });`;
const TESTS =
  "it('one', () => {}); it('two', () => {}); describe('some', () => { beforeAll(() => { throw new " +
  "Error('Too late.'); }); it('three', () => {}); });";

const FILES = {
  needed: `let pool; ${NO_DATABASE} ${TESTS} afterAll(() => pool.end());`,
  some: `it('before', () => {}); describe('some', () => { ${NO_DATABASE} ${TESTS} }); it('after', () => {});`,
  itself:
    "it('one', () => { throw new Error('No.'); }); it('two', () => { throw new Error('No.'); }); " +
    "it('three', () => {});",
};

interface Found {
  counts: [passed: number, failed: number, skipped: number];
  messages: string;
}
/** Jest's report for test files, which are run together since jest takes a second to start. */
function runFiles(files: Record<string, string>, ...more: string[]): Record<string, Found> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.spec.js`), text);
  const config = { rootDir: folder, testEnvironment: resolve('test/jest/set-up-fails-once.mjs') };
  const patterns = Object.keys(files).map((name) => `${name}.spec.js`);
  const args = [...patterns, '-i', '--config', JSON.stringify(config), '--json', ...more];
  const report = JSON.parse(
    spawnSync(resolve('node_modules/.bin/jest'), args, { cwd: folder, encoding: 'utf8' }).stdout,
  ) as { testResults: { name: string; message: string; assertionResults: { status: string }[] }[] };
  return Object.fromEntries(
    report.testResults.map(({ name, message, assertionResults }) => {
      const count = (...statuses: string[]) =>
        assertionResults.filter(({ status }) => statuses.includes(status)).length;
      const counts: Found['counts'] = [count('passed'), count('failed'), count('pending', 'skipped')];
      return [basename(name, '.spec.js'), { counts, messages: message }];
    }),
  );
}
let found: Record<string, Found>;
beforeAll(() => void (found = runFiles(FILES)));

it('a failing set-up fails one test, with its own reason, and the tests that needed it are skipped', () => {
  const { counts, messages } = found.needed!;
  expect(counts).toEqual([0, 1, 2]);
  expect(messages.match(/● .*\s+.*/g)).toEqual([expect.stringMatching(/● one\s+There is no database\./)]);
});

it('it fails one of the selected tests', () => {
  expect(runFiles({ asked: `${NO_DATABASE} ${TESTS}` }, '-t', 'two').asked!.counts).toEqual([0, 1, 2]);
});

it('the set-up of some tests affects no others', () => {
  expect(found.some!.counts).toEqual([2, 1, 2]);
});

it('a test that fails by itself affects no others', () => {
  expect(found.itself!.counts).toEqual([1, 2, 0]);
});
