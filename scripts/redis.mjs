// A private Redis (or Valkey) server, for machines without one.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findOnPath, installPackage } from './debian-package.mjs';
import { keepSecretJson } from './keep-secret.mjs';
import { commandOf, freePort, runServer, stopLeftover, until } from './server-process.mjs';

const NO_REDIS = `Toolmark needs Redis or Valkey, and found neither redis-server nor valkey-server on the PATH.
Three ways to get one:
  - install it:             apt-get install redis-server | dnf install valkey | brew install valkey
  - run it in a container:  docker run -d -p 127.0.0.1:6379:6379 redis:7-alpine
                            and set REDIS_URL=redis://127.0.0.1:6379
  - use one you have:       set REDIS_URL=redis://<host>:6379`;

/** Starts Redis on the data under `folder`. Returns its URL and how to stop it. */
export async function startRedis({ folder, logFile, durable, say }) {
  const program = findRedis(say);
  if (!program) throw new Error(NO_REDIS);
  const home = join(folder, 'redis');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const kept = keepSecretJson(join(folder, 'redis.json'), () => ({
    password: randomBytes(24).toString('hex'),
    port: 0,
  }));
  await stopEarlierServer(home, kept.value.port);

  const port = await freePort(kept.value.port, '127.0.0.1');
  if (port !== kept.value.port) kept.save({ ...kept.value, port });
  const config = join(home, 'redis.conf');
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: `"${home}"`,
    pidfile: `"${join(home, 'redis.pid')}"`,
    // In a file, because every user of the machine can read a command line.
    requirepass: kept.value.password,
    appendonly: durable ? 'yes' : 'no',
    save: '""',
    'maxmemory-policy': 'noeviction',
    databases: 64,
  };
  writeFileSync(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  const server = runServer(program, [config], { logFile, stopSignal: 'SIGTERM' });
  const answers = await until(async () => server.hasExited() || (await isReady(port, kept.value.password)), 60_000);
  if (server.hasExited() || !answers) {
    await server.stop();
    throw new Error(`Redis did not start. The reason is at the end of ${logFile}.`);
  }
  return { url: `redis://:${kept.value.password}@127.0.0.1:${port}`, stop: server.stop, exited: server.exited };
}

/** The program on the PATH, or, as root on Debian, its package. */
export const findRedis = (say) => findOnPath('redis-server') ?? findOnPath('valkey-server') ?? installRedis(say);

/** Works as root on Debian and Ubuntu. The package's own service is not started, and is left disabled. */
function installRedis(say) {
  const failure = installPackage('redis-server', say);
  if (failure) throw new Error(`${failure}\n${NO_REDIS}`);
  if (findOnPath('systemctl')) spawnSync('systemctl', ['disable', 'redis-server']);
  return findOnPath('redis-server');
}

async function stopEarlierServer(home, port) {
  const file = join(home, 'redis.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8'));
  const command = pid > 0 ? commandOf(pid) : undefined;
  // A Redis process shows its address and port as its command line instead of its arguments.
  if (command && /redis|valkey/.test(command) && command.includes(`:${port}`))
    await stopLeftover(pid, ['SIGTERM', 'SIGKILL']);
  rmSync(file, { force: true });
}

/** Whether the server accepts commands, which it refuses while loading its data. */
const isReady = (port, password) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 }, () =>
      socket.write(`AUTH ${password}\r\nPING\r\n`),
    );
    let answer = '';
    const finish = (ready) => {
      socket.destroy();
      resolve(ready);
    };
    socket.on('data', (bytes) => {
      answer += bytes;
      if (answer.includes('+PONG')) finish(true);
      else if (answer.includes('-')) finish(false);
    });
    socket
      .on('error', () => finish(false))
      .on('timeout', () => finish(false))
      .on('close', () => finish(false));
  });
