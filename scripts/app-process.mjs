// Toolmark's processes as children of `npm start`, which restarts them when they exit on their own.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, signalProcess, until } from './server-process.mjs';
import { MEMORY_ENV, MEMORY_FLAGS, node, root } from './set-up.mjs';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
/** A process that ran this long has started successfully. */
const SETTLED_MS = 30_000;
const MAX_FAILED_STARTS = 3;
/** After its drain time, a draining worker has this long to return its remaining items. */
const STOP_GRACE_MS = 15_000;
const MAX_LOG_BYTES = 20 * 1024 * 1024;

/** Keeps `dist/apps/<app>/main.js` running on `port`, with its output in `logFile`, until `stop` or `kill`. */
export class AppProcess {
  #app;
  #options;
  #child;
  #exited = Promise.resolve();
  #isStopping = false;
  #restarting;
  #exitsInARow = 0;
  #timer;

  /** `say` gets a message when the process exits on its own; `onPid` is called for each new process. */
  constructor(app, { name = app, port, env, logFile, say, onPid }) {
    this.#app = app;
    this.#options = { port, env, logFile, say, onPid };
    this.name = name;
    if (statSync(logFile, { throwIfNoEntry: false })?.size > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
    this.#start();
  }

  /** The folder of `apps` that it runs. */
  get app() {
    return this.#app;
  }

  get pid() {
    return this.#child.pid;
  }

  async untilReady() {
    const { port, logFile } = this.#options;
    const hasFailed = () => this.#exitsInARow >= MAX_FAILED_STARTS;
    const isReady = async () => {
      if (hasFailed() || this.#isStopping) return true;
      const request = fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) });
      return (await request.catch(() => undefined))?.ok;
    };
    const hasEnded = await until(isReady, 60_000);
    if (hasEnded && !hasFailed()) return;
    const why = hasEnded ? 'does not start' : 'is not ready after a minute';
    throw new Error(`The ${this.name} ${why}. Its log ends with:\n${lastLines(logFile, 15)}`);
  }

  /** A call while the process still drains joins that restart, so that the process is started once. */
  restart() {
    return (this.#restarting ??= this.#endAndStart().finally(() => (this.#restarting = undefined)));
  }

  async #endAndStart() {
    await this.#end();
    this.#exitsInARow = 0;
    if (!this.#isStopping) this.#start();
  }

  stop() {
    this.#isStopping = true;
    return this.#end();
  }

  kill() {
    this.#isStopping = true;
    this.#child.kill('SIGKILL');
  }

  #start() {
    const { port, env, logFile, onPid } = this.#options;
    const startedAt = Date.now();
    const log = openSync(logFile, 'a');
    const program = join(root, `dist/apps/${this.#app}/main.js`);
    const stopWithParent = ['--import', join(root, 'scripts/stop-with-parent.mjs')];
    const child = spawn(node, ['--enable-source-maps', ...MEMORY_FLAGS, ...stopWithParent, program], {
      cwd: root,
      env: { ...MEMORY_ENV, ...env, PORT: String(port) },
      stdio: ['ignore', log, log, 'ipc'],
      detached: true, // Ctrl-C in the terminal must not reach the process, since processes stop in order.
    });
    closeSync(log);
    this.#child = child;
    onPid();
    this.#exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    child.once('exit', (code, signal) => this.#scheduleRestart(signal ?? `exit code ${code}`, Date.now() - startedAt));
  }

  #scheduleRestart(reason, ranMs) {
    if (this.#isStopping || this.#restarting) return;
    this.#exitsInARow = ranMs > SETTLED_MS ? 1 : this.#exitsInARow + 1;
    const { say, logFile } = this.#options;
    say(`The ${this.name} ended (${reason}) and is started again; its log is ${logFile}`);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#exitsInARow - 1), MAX_PAUSE_MS);
    this.#timer = setTimeout(() => this.#start(), pauseMs);
  }

  async #end() {
    clearTimeout(this.#timer);
    const killAfterMs = drainSecondsOf(this.#options.env) * 1000 + STOP_GRACE_MS;
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), killAfterMs);
    // There is no load balancer that needs time to notice that the API stops.
    this.#child.kill(this.#app === 'api' ? 'SIGINT' : 'SIGTERM');
    await this.#exited;
    clearTimeout(killer);
  }
}

/** The default is that of `libs/runtime/env.ts`. */
export const drainSecondsOf = ({ TOOLMARK_DRAIN_SECONDS: seconds }) => Number(seconds || 45);

/** Ends processes that a killed `npm start` left behind, since their ports are needed. */
export async function endLeftoverApps(pids) {
  const left = pids.filter((pid) => commandOf(pid)?.includes('dist/apps/'));
  for (const pid of left) signalProcess(pid, 'SIGKILL');
  await until(() => left.every((pid) => commandOf(pid) === undefined), 5_000);
}

const lastLines = (file, count) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
