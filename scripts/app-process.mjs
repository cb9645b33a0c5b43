// The product's own processes as children of `npm start`: started again when they end by themselves.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, signalProcess, until } from './server-process.mjs';
import { MEMORY_FLAGS, node, root } from './set-up.mjs';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A process that ran this long is no longer one that fails to start. */
const SETTLED_MS = 30_000;
const ENDS_BEFORE_GIVING_UP = 3;
/** So long after a worker has let go on what it had in hand, it has handed back the rest. */
const STOP_GRACE_MS = 15_000;
const LARGEST_LOG_BYTES = 20 * 1024 * 1024;

/**
 * Keeps `dist/apps/<app>/main.js` running on `port`, with its output in `logFile`. `say` is told when it ended by
 * itself, `onPid` each new process.
 */
export function keepAppRunning(app, { name = app, port, env, logFile, say, onPid }) {
  let child;
  let exited = Promise.resolve();
  let stopping = false;
  let endsInARow = 0;
  let timer;
  if (statSync(logFile, { throwIfNoEntry: false })?.size > LARGEST_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
  start();

  function start() {
    const startedAt = Date.now();
    const log = openSync(logFile, 'a');
    child = spawn(
      node,
      [
        '--enable-source-maps',
        ...MEMORY_FLAGS,
        '--import',
        join(root, 'scripts/stop-with-parent.mjs'),
        join(root, `dist/apps/${app}/main.js`),
      ],
      {
        cwd: root,
        env: { ...env, PORT: String(port) },
        stdio: ['ignore', log, log, 'ipc'],
        detached: true, // A Ctrl-C in the terminal must not reach it: we stop things in order.
      },
    );
    closeSync(log);
    onPid();
    exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    child.once('exit', (code, signal) => {
      if (stopping || restarting) return;
      endsInARow = Date.now() - startedAt > SETTLED_MS ? 1 : endsInARow + 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (endsInARow - 1), LONGEST_PAUSE_MS);
      say(`The ${name} ended (${signal ?? `exit code ${code}`}) and is started again; its log is ${logFile}`);
      timer = setTimeout(start, pauseMs);
    });
  }

  let restarting = false;
  async function end() {
    clearTimeout(timer);
    const hard = setTimeout(() => child.kill('SIGKILL'), drainSecondsOf(env) * 1000 + STOP_GRACE_MS);
    child.kill(app === 'api' ? 'SIGINT' : 'SIGTERM'); // There is no load balancer that an API would serve on for.
    await exited;
    clearTimeout(hard);
  }

  return {
    name,
    pid: () => child.pid,
    async untilReady() {
      const isReady = async () => {
        if (endsInARow >= ENDS_BEFORE_GIVING_UP || stopping) return true;
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(
          () => undefined,
        );
        return answer?.ok;
      };
      const ready = await until(isReady, 60_000);
      if (ready && endsInARow < ENDS_BEFORE_GIVING_UP) return;
      throw new Error(
        `The ${name} ${ready ? 'does not start' : 'is not ready after a minute'}. Its log ends ` +
          `with:\n${lastLines(logFile, 15)}`,
      );
    },
    async restart() {
      restarting = true;
      await end();
      restarting = false;
      endsInARow = 0;
      if (!stopping) start();
    },
    stop() {
      stopping = true;
      return end();
    },
    kill() {
      stopping = true;
      child.kill('SIGKILL');
    },
  };
}

/** As `libs/runtime/env.ts` has it. */
export const drainSecondsOf = ({ TOOLMARK_DRAIN_SECONDS: seconds }) => Number(seconds || 45);

/** Processes of an earlier start that was killed and that are on their way out: their ports are wanted now. */
export async function endLeftoverApps(pids) {
  const left = pids.filter((pid) => commandOf(pid)?.includes('dist/apps/'));
  for (const pid of left) signalProcess(pid, 'SIGKILL');
  await until(() => left.every((pid) => commandOf(pid) === undefined), 5_000);
}

export const lastLines = (file, count) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
