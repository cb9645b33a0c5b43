// Servers (Postgres, Redis) as children that never outlive this process, however it ends.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

// A pipe held only by this process is the lifeline: when it closes, because we close it or were killed, the shell stops
// the server. The server has its own session, because Ctrl-C in the terminal must not reach it before its clients have
// ended.
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- & server=$!
( read -r _ <&3; kill -s "$STOP_SIGNAL" $server ) & guard=$!
wait $server; code=$?
kill $guard 2>/dev/null
exit $code`;

/**
 * Starts a server whose output is appended to `logFile`. `exited` resolves when it has ended; `stop` sends `stopSignal`
 * and waits.
 */
export function runServer(command, args, { logFile, stopSignal, user = {}, env = {} }) {
  const log = openSync(logFile, 'a');
  const child = spawn('/bin/sh', ['-c', GUARD, 'sh', command, ...args], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', log, log],
    env: { PATH: process.env.PATH, STOP_SIGNAL: stopSignal.replace('SIG', ''), ...env },
    ...user,
  });
  closeSync(log);
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  child.stdin.on('error', () => {}); // The shell has already exited.
  return {
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      child.stdin.destroy();
      const timer = setTimeout(() => signalProcess(-child.pid, 'SIGKILL'), 30_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Ends a server left over from a killed start; throws if it does not end. */
export async function stopLeftover(pid, signals) {
  for (const signal of signals) {
    signalProcess(pid, signal);
    if (await until(() => commandOf(pid) === undefined, 15_000)) return;
  }
  throw new Error(`Process ${pid} is left over from an earlier start and does not exit. Run: kill -9 ${pid}`);
}

/** The command line of a running process; undefined if there is none. */
export function commandOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return undefined;
  }
  try {
    // Empty for a zombie.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') || undefined;
  } catch {
    return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout?.trim() || undefined;
  }
}

export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Waits until `check` returns true; returns false on timeout. */
export async function until(check, timeoutMs) {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    if (await check()) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/** `wanted` if it is free on `host`, else any free port. Without `host`: on all interfaces. */
export async function freePort(wanted = 0, host = undefined) {
  const listens = (port) =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen(port, host, () => {
        const bound = server.address().port;
        server.close(() => resolve(bound));
      });
    });
  return (await listens(wanted)) ?? (await listens(0));
}
