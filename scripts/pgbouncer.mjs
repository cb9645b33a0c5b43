// A PgBouncer in transaction mode, for tests: of the machine if it is new enough, else from packages of a newer Debian.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from './debian-package.mjs';
import { serverUser } from './postgres.mjs';
import { freePort, runServer, until } from './server-process.mjs';

/** Since 1.21 it knows named statements in transaction mode. */
const OLDEST = [1, 21];
const SUITE = 'trixie';
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** PgBouncer and the libraries that it needs, with those that they need: the C library of this machine may be older. */
const PACKAGES = [
  ...['pgbouncer', 'libc6', 'libcares2', 'libevent-2.1-7t64', 'libpam0g', 'libssl3t64', 'libsystemd0'],
  ...['libaudit1', 'libcap-ng0', 'libcap2', 'zlib1g', 'libzstd1'],
];

/**
 * @returns the command of a PgBouncer that is new enough; undefined if there is none, after `say` was called with the
 * reason
 */
export function findPgBouncer(say) {
  const program = findOnPath('pgbouncer');
  if (program && isNewEnough([program])) return [program];
  const unpacked = join(tmpdir(), `toolmark-pgbouncer-${SUITE}`);
  if (!existsSync(unpacked)) {
    const failure = unpackPackages(unpacked, say);
    if (failure) return void say(`There is no PgBouncer ${OLDEST.join('.')} or later: ${failure}`);
  }
  const command = commandIn(unpacked);
  if (command && isNewEnough(command)) return command;
  say(`The PgBouncer in ${unpacked} does not run.`);
  return undefined;
}

function isNewEnough([program, ...args]) {
  const { stdout } = spawnSync(program, [...args, '--version'], { encoding: 'utf8' });
  const [major, minor] = (/PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? []).slice(1).map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** With its own loader and libraries. */
function commandIn(folder) {
  const libraries = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  if (!libraries) return undefined;
  const path = join(folder, 'usr/lib', libraries);
  const loader = readdirSync(path).find((name) => /^ld-linux.*\.so/.test(name));
  return loader && [join(path, loader), '--library-path', path, join(folder, 'usr/sbin/pgbouncer')];
}

/**
 * Downloads packages of a newer suite from the mirror of this machine, with lists of their own, and unpacks them into
 * `folder`: nothing is installed. @returns why that failed
 */
function unpackPackages(folder, say) {
  if (!findOnPath('apt-get')) return 'this machine has no apt-get.';
  say(`Unpacking PgBouncer from Debian ${SUITE} into ${folder} ...`);
  const work = mkdtempSync(join(tmpdir(), 'toolmark-apt-'));
  const run = (cwd, command, ...args) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.trim()}`);
    return stdout;
  };
  try {
    const sources = run(work, 'apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages');
    const mirror = sources.split('\n').find((uri) => uri.endsWith('/debian/'));
    if (!mirror) return 'the packages of this machine are not from Debian.';
    const [lists, cache, debs, root] = ['lists', 'cache', 'debs', 'root'].map((name) => join(work, name));
    for (const path of [join(lists, 'partial'), join(cache, 'archives/partial'), debs, root])
      mkdirSync(path, { recursive: true });
    writeFileSync(join(work, 'sources.list'), `deb [signed-by=${KEYS}] ${mirror} ${SUITE} main\n`);
    const own = { 'Dir::Etc::sourcelist': join(work, 'sources.list'), 'Dir::Etc::sourceparts': '/dev/null' };
    const settings = Object.entries({ ...own, 'Dir::State::lists': lists, 'Dir::Cache': cache });
    const options = settings.flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    run(debs, 'apt-get', '-qq', ...options, 'update');
    run(debs, 'apt-get', '-qq', ...options, 'download', ...PACKAGES);
    for (const deb of readdirSync(debs)) run(debs, 'dpkg', '-x', deb, root);
    chmodSync(root, 0o755); // It runs as another user.
    renameSync(root, folder);
    return undefined;
  } catch (error) {
    return existsSync(folder) ? undefined : error.message; // Another process was faster.
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/**
 * Starts a PgBouncer in transaction mode for all databases of a server. Every client is let in, and has the user of
 * `databaseUrl`.
 * @param settings overrides of [pgbouncer], such as default_pool_size
 * @returns its URL, with the database of `databaseUrl`, and how to stop it
 */
export async function startPgBouncer({ command, folder, databaseUrl, settings = {} }) {
  const server = new URL(databaseUrl);
  const port = await freePort(0, '127.0.0.1');
  const home = mkdtempSync(join(folder, 'pgbouncer-'));
  const user = serverUser(); // It refuses to run as root.
  const to = {
    host: server.hostname,
    port: server.port || '5432',
    user: decodeURIComponent(server.username),
    password: decodeURIComponent(server.password),
  };
  const target = Object.entries(to).map(([name, value]) => `${name}=${quoted(value)}`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    admin_users: 'pgbouncer',
    pool_mode: 'transaction',
    max_client_conn: 2000,
    default_pool_size: 20,
    max_prepared_statements: 200,
    server_login_retry: 1,
    ...settings,
  };
  const file = join(home, 'pgbouncer.ini');
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(file, `[databases]\n* = ${target.join(' ')}\n[pgbouncer]\n${lines.join('\n')}\n`, { mode: 0o644 });
  chmodSync(home, 0o755);
  const logFile = join(home, 'log');
  const [program, ...args] = command;
  const running = runServer(program, [...args, file], { logFile, stopSignal: 'SIGTERM', user });
  const accepts = async () => running.hasExited() || (await freePort(port, '127.0.0.1')) !== port;
  await until(accepts, 30_000);
  if (running.hasExited()) throw new Error(`PgBouncer did not start. The reason is at the end of ${logFile}.`);
  return {
    url: Object.assign(new URL(server), { host: `127.0.0.1:${port}` }).href,
    stop: running.stop,
    exited: running.exited,
    logFile,
  };
}
