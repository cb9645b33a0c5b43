// Everything that must hold before a change is accepted, from a clean checkout with nothing running: install, build,
// check, every test (on a machine that is much slower than others, half of the long ones), `npm start` as a user runs
// it, and the same in containers if there is an engine. One after the other: tests use all cores, and beside other work
// they take longer in all. A failure is tried once more by itself,
// with the same seed. What fails again has failed, and is tried on the parent commit, since a seed may have drawn what
// was wrong before; what passed only then is named, and belongs into .ci/flaky.md. The last lines are: the seconds of
// each step and of the slowest files, what was flaky, failed or left out, jest's own lines, and one line: N passed, N
// failed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { failingThereToo, linesOf, readReports, slowestFiles } from './reports.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
/**
 * Limits. At END_S what still runs is ended. A quiet machine of two cores takes GOAL_S; others have taken more than
 * twice that, so only a run that takes longer than MAX_S has failed, whatever it found. The page's build likewise: what
 * it takes varies by a third on the same machine.
 */
const [GOAL_S, MAX_S, END_S, ENGINE_UNTIL_S] = [35 * 60, 80 * 60, 82 * 60, 600];
/** How long what comes after the tests takes at most. */
const AFTERWARDS_S = 12 * 60;
const [MAX_TEST_S, MAX_INSTALLED_MB, PAGE_BUILD_GOAL_MS, MAX_PAGE_BUILD_MS, SLOWEST] = [600, 700, 3000, 6000, 40];

const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);
const work = mkdtempSync(join(tmpdir(), 'toolmark-ci-'));
const say = (text) => process.stdout.write(`${text}\n`);
let [passed, failed] = [0, 0];
const notes = [];
/** What jest wrote, in the order of the runs. */
const reports = [];
/** Rows of the table of steps: name, when it began and how long it took, in seconds. */
const steps = [];
/** Process groups that still run. */
const groups = new Set();

// One seed for each commit, for everything random in tests.
const commit = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim();
process.env.TOOLMARK_TEST_SEED ??= String(parseInt(commit?.slice(0, 7), 16) || 1);
say(`Seed of the tests: TOOLMARK_TEST_SEED=${process.env.TOOLMARK_TEST_SEED}`);

/** Ends with the exit code of a command, whose lines are printed with its name; 124 where the time is over. */
async function run(name, [command, ...args], { minutes = 90, env = {}, cwd, quiet = false } = {}) {
  const left = Math.min(minutes * 60, END_S - seconds());
  if (left < 1) return 124;
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...env },
  });
  groups.add(child.pid);
  let isLate = false;
  const timer = setTimeout(() => ((isLate = true), end(child.pid)), left * 1000);
  const lines = [child.stdout, child.stderr].map(async (input) => {
    for await (const line of createInterface({ input })) if (!quiet) say(`[${name}] ${line}`);
  });
  const code = await new Promise((resolve) => child.once('error', () => resolve(127)).once('close', resolve));
  await Promise.all(lines);
  clearTimeout(timer);
  groups.delete(child.pid);
  return isLate ? 124 : (code ?? 1);
}

function end(group) {
  const send = (signal) => {
    try {
      process.kill(-group, signal);
    } catch {
      // It has ended.
    }
  };
  send('SIGTERM');
  setTimeout(() => send('SIGKILL'), 30_000).unref();
}

/** Keeps how long something took. */
async function timed(name, does) {
  const from = seconds();
  say(`\n== ${name}`);
  try {
    return await does();
  } finally {
    steps.push([name, from, seconds() - from]);
  }
}

/** A command that counts as one test. @returns whether it passed */
const step = (name, command, options = {}) =>
  timed(name, async () => {
    if ((await run(name, command, options)) === 0) return note(name, true);
    say(`== ${name} FAILED, once more`);
    return note(name, (await run(name, command, options)) === 0, 'at the second try');
  });

function note(name, isRight, how) {
  if (isRight) passed++;
  else failed++;
  if (!isRight) notes.push(`Failed: ${name}`);
  else if (how) notes.push(`Passed only ${how}: ${name}`);
  return isRight;
}

/** Counts as one test. */
function atMost(what, amount, limit, unit) {
  say(`== ${what}: ${amount} ${unit} (limit ${limit})`);
  note(`${what}: ${amount} ${unit} (limit ${limit})`, amount <= limit);
}

/**
 * The tests of an npm script, or a half of their files, then once more the files with failures.
 * @returns the seconds of the first try
 */
const tests = (script, minutes, half) =>
  timed(`npm run ${script}${half ? `, half ${half}` : ''}`, async () => {
    const from = seconds();
    const report = join(work, `${script.replaceAll(':', '-')}${half ?? ''}.json`);
    const again = `${report}.again`;
    reports.push(report);
    const jest = (to, args = [], options = {}) =>
      run(script, ['npm', 'run', script, '--', '--json', `--outputFile=${to}`, ...args], {
        minutes,
        env: { TOOLMARK_TEST_SERVICES: 'embedded' },
        ...options,
      });
    let status = await jest(report, half ? [`--shard=${half}/2`] : []);
    const took = seconds() - from;
    const files = readReports(report).withFailures;
    if (status !== 0 && files.length > 0) {
      say(`== npm run ${script}: what failed, once more by itself: ${files.join(' ')}`);
      status = await jest(again, ['--runInBand', ...files]);
    }
    const found = readReports(report, again);
    if (found.stillFailing.length > 0) await onParentCommit(script, jest, found);
    passed += found.passed;
    failed += found.failed;
    notes.push(...found.notes);
    // It may have ended before it wrote its report, or after its tests.
    if (found.files === 0) note(`npm run ${script}: it wrote no report`, false);
    else if (status !== 0 && found.failed === 0) note(`npm run ${script}: it ended with ${status}`, false);
    return took;
  });

/** Tries on the parent commit what failed twice, with the same seed, and names what fails there too. */
async function onParentCommit(script, jest, { stillFailing, failures, notes: said }) {
  const parent = join(work, `parent-${script.replaceAll(':', '-')}`);
  const report = `${parent}.json`;
  const ready = await run('the parent commit', [
    'bash',
    '-c',
    `git clone -q . ${parent} && cd ${parent} && git checkout -q ${commit}^ && npm ci --no-audit --no-fund`,
  ]);
  if (ready !== 0) return;
  const files = stillFailing.filter((name) => existsSync(join(parent, name)));
  if (files.length === 0) return;
  say(`== npm run ${script}: what failed twice, on the parent commit: ${files.join(' ')}`);
  await jest(report, ['--runInBand', ...files], { cwd: parent, minutes: 10 });
  for (const test of failingThereToo(failures, report, parent)) said.push(`Fails on the parent commit too: ${test}`);
}

/** Missing containers fail nothing: a line says what was left out. */
const inContainers = (name, command, env) =>
  timed(name, async () => {
    for (const how of [undefined, 'at the second try']) {
      const code = await run(name, command, { env });
      if (code === 124) return notes.push(`Left out: ${name}: no time is left`);
      if (code === 0) return note(name, true, how);
      say(`== ${name} FAILED`);
    }
    return note(name, false);
  });

/** @returns why there are no containers, if there are none */
async function startEngine() {
  const log = join(work, 'engine.log');
  const code = await run('engine', ['bash', '-c', `.ci/container-engine ${join(work, 'stop-engine')} >${log} 2>&1`], {
    minutes: ENGINE_UNTIL_S / 60,
  });
  if (code === 0) return undefined;
  // It may have been in the middle of an installation.
  spawnSync('dpkg', ['--configure', '-a'], { stdio: 'ignore' });
  return code === 124 ? 'the Docker engine is not ready in time' : readFileSync(log, 'utf8').trim().split('\n').at(-1);
}

const installedMb = () => Number(spawnSync('du', ['-sm', 'node_modules'], { encoding: 'utf8' }).stdout.split('\t')[0]);

/** The CPU that the page took when it was built, in ms; where that is too much, the least of two more builds. */
async function pageBuildMs() {
  const ms = () => Number(readFileSync('dist/web/.built', 'utf8'));
  let least = ms();
  for (let more = 0; least > PAGE_BUILD_GOAL_MS && more < 2; more++) {
    rmSync('dist/web/.built');
    await run('the page', ['npm', 'run', 'build']);
    least = Math.min(least, ms());
  }
  return least;
}

async function everything() {
  // One process at a time can install Debian packages.
  const packages = step('packages that tests use', ['node', 'scripts/test-packages.mjs'], { minutes: 10 });
  const engine = packages.then(startEngine);
  if (!(await step('npm ci', ['npm', 'ci', '--no-audit', '--no-fund'], { minutes: 15 }))) {
    notes.push('Left out: everything else, since npm ci failed');
    return;
  }
  atMost('size of node_modules', installedMb(), MAX_INSTALLED_MB, 'MB');
  await packages;
  atMost('time of npm test', await tests('test', 20), MAX_TEST_S, 's');
  atMost(
    `CPU of the page's build (a quiet machine: ${PAGE_BUILD_GOAL_MS} ms)`,
    await pageBuildMs(),
    MAX_PAGE_BUILD_MS,
    'ms',
  );
  await step('npm run check', ['npm', 'run', 'check'], { minutes: 15 });
  await step('npm run check:deploy', ['npm', 'run', 'check:deploy'], { minutes: 5 });
  await longTests();
  await asUsersStartIt(engine);
}

/** A machine that is much slower than others has time for one half. Commits draw which one is first. */
async function longTests() {
  const first = 1 + (Number(process.env.TOOLMARK_TEST_SEED) % 2);
  const took = await tests('test:long', 45, first);
  const left = MAX_S - AFTERWARDS_S - seconds();
  // The other one may take longer.
  if (took * 1.4 < left) await tests('test:long', left / 60, 3 - first);
  else notes.push(`Left out: half ${3 - first} of test:long: ${left} s are left, and half ${first} took ${took} s`);
}

async function asUsersStartIt(engine) {
  await step('npm start, twice', ['node', 'scripts/smoke.mjs'], { minutes: 10 });
  const noContainers = await engine;
  if (noContainers) {
    notes.push(`Left out: all that needs containers: ${noContainers}`);
    return;
  }
  await inContainers('docker compose up, scaled, killed, restored', ['node', 'scripts/container-smoke.mjs']);
  // The engine may lack the image of testcontainers' reaper; the tests end their containers themselves.
  await inContainers('npm test, a part of it on containers', ['npm', 'test', '--', 'test/services', 'libs/db/engine'], {
    TOOLMARK_TEST_SERVICES: 'docker',
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  });
}

function cleanUp() {
  for (const group of groups) end(group);
  const stop = join(work, 'stop-engine');
  if (existsSync(stop)) spawnSync('bash', [stop], { stdio: 'ignore' });
  rmSync(work, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (cleanUp(), process.exit(1)));

try {
  await everything();
} catch (error) {
  note(`.ci/run itself: ${error.stack}`, false);
}
atMost(`time of .ci/run (a quiet machine: ${GOAL_S} s)`, seconds(), MAX_S, 's');
say('\n== seconds of each step\n   from   took');
for (const [name, from, took] of steps.sort((a, b) => a[1] - b[1]))
  say(`${String(from).padStart(7)}${String(took).padStart(7)}  ${name}`);
say(`\n== seconds of the ${SLOWEST} slowest files: in all, of which set-up, tests\n    all  set-up  tests`);
for (const { name, all, setUp, count } of slowestFiles(reports, SLOWEST))
  say(`${all.toFixed(1).padStart(7)}${setUp.toFixed(1).padStart(8)}${String(count).padStart(7)}  ${name}`);
say('');
for (const line of notes) say(line);
for (const report of reports) for (const line of linesOf(report)) say(line);
cleanUp();
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
