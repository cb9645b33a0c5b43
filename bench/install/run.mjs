// The time from a clone of the last commit to a leaderboard, step by step; the packages come from the registry, then
// from npm's cache.
//   node bench/install/run.mjs
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/set-up.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-install-'));
chmodSync(folder, 0o711);
const clone = join(folder, 'clone');
const cache = join(folder, 'cache');
const { DATABASE_URL: _, REDIS_URL: __, TOOLMARK_ADMIN_TOKEN: ___, OPENAI_API_KEY: ____, ...inherited } = process.env;
const env = { ...inherited, npm_config_cache: cache, TOOLMARK_DATA_DIR: join(folder, 'data'), PORT: '0' };
const megabytes = (path) => Number(spawnSync('du', ['-sm', path], { encoding: 'utf8' }).stdout.split('\t')[0]);
const remove = (...paths) => paths.forEach((path) => rmSync(join(clone, path), { recursive: true, force: true }));

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log('| step | seconds | of the CPU | MB afterwards |\n|---|---|---|---|');
run('git clone', 'git', ['clone', '-q', root, clone], tmpdir());
run('npm ci, empty cache', 'npm', ['ci']);
remove('node_modules', 'dist', 'libs/db/generated');
run('npm ci, filled cache', 'npm', ['ci']);
remove('node_modules', 'dist', 'libs/db/generated');
run('- its packages', 'npm', ['ci', '--ignore-scripts']);
run('- its install scripts: Node, Postgres', 'npm', ['rebuild']);
run('- the Prisma client', 'node', ['scripts/generate-client.mjs']);
run('- the build', 'node', ['scripts/build.mjs']);
run('- what nobody reads is deleted', 'node', ['scripts/slim-packages.mjs']);
run('npm run build, nothing there', 'npm', ['run', 'build'], clone, remove('dist', 'libs/db/generated'));
for (const which of ['first', 'second']) await start(`npm start, the ${which} time`);
console.log(`\nnode_modules: ${megabytes(join(clone, 'node_modules'))} MB; npm's cache: ${megabytes(cache)} MB`);

function run(step, command, args, cwd = clone) {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="times %R %U %S"; time "$@"', 'bash', command, ...args],
    { cwd, env, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${step} failed:\n${stderr}`);
  const [seconds, user, system] = stderr
    .match(/times (\S+) (\S+) (\S+)\n$/)
    .slice(1)
    .map(Number);
  print(step, seconds, user + system, megabytes(clone));
}

async function start(step) {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const child = spawn('npm', ['start'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let isReady = false;
  for await (const part of child.stdout.setEncoding('utf8')) {
    text += part;
    if (isReady || !text.includes('Ctrl-C stops everything')) continue;
    isReady = true;
    print(
      `${step}, to ${text.includes('Running "') ? 'its leaderboard' : 'ready'}`,
      seconds(),
      undefined,
      megabytes(clone),
    );
    child.kill('SIGTERM');
  }
  if (!isReady) throw new Error(`${step} failed.`);
}

function print(step, seconds, cpuSeconds, size) {
  console.log(`| ${step} | ${seconds.toFixed(1)} | ${cpuSeconds?.toFixed(1) ?? ''} | ${size} |`);
}
