import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { afterFile } from './after-file.js';
import { freePort } from './services.js';
import { until } from './until.js';

export { until } from './until.js';

export const ADMIN_TOKEN = 'a-token-for-tests-0123456789';
export const SEALING_KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

/** Tests come from one address, and faster than people: those of limits set them. */
export const TEST_SETTINGS = {
  TOOLMARK_ADMIN_TOKEN: ADMIN_TOKEN,
  TOOLMARK_SEALING_KEY: SEALING_KEY,
  TOOLMARK_ALLOWED_NETWORKS: '0.0.0.0/0, ::/0',
  TOOLMARK_REQUESTS_PER_MINUTE: '1000000',
  TOOLMARK_USER_REQUESTS_PER_MINUTE: '1000000',
  TOOLMARK_OPEN_REQUESTS_PER_MINUTE: '1000000',
  TOOLMARK_FAILED_SIGN_INS_PER_MINUTE: '1000000',
};

export interface RunningProcess {
  /** `http://127.0.0.1:<port>` */
  url: string;
  pid: number;
  /** All output so far. */
  logs(): string;
  /** Sends a signal, and waits for the exit if the signal ends processes. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops it, with SIGKILL after a minute, and returns the exit code. Can be called again. */
  stop(): Promise<number | null>;
  /** The exit code; null after a signal. */
  exited: Promise<number | null>;
}

/** Processes that end with the test file. */
const running = new Set<RunningProcess>();
const stopAll = async (): Promise<void> => void (await Promise.all([...running].map((started) => started.stop())));

/** Time limit for a process to become ready: on a busy machine it is slow, not broken. */
const START_MS = 120_000;
const SIGNALS_THAT_END = new Set<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT']);

/**
 * Starts dist/apps/<name>/main.js on a free port and waits until it is healthy; if it exits, fails with its output.
 * `env` is added to the settings that every process needs, except DATABASE_URL and REDIS_URL. `preload` is a module
 * that is loaded first, `from` the folder of another release. The process ends with the test file; one that `lasts`
 * ends with jest.
 */
export async function startProcess(
  name: 'api' | 'worker' | 'simulator',
  env: Record<string, string> = {},
  { preload, lasts = false, from = '.' }: { preload?: string; lasts?: boolean; from?: string } = {},
): Promise<RunningProcess> {
  const port = env.PORT ?? String(await freePort());
  const preloads = ['scripts/stop-with-parent.mjs', 'test/sparse-sampling.mjs', ...(preload ? [preload] : [])].flatMap(
    (file) => ['--import', resolve(file)],
  );
  const child = spawn(resolve('node_modules/.bin/node'), [...preloads, resolve(from, `dist/apps/${name}/main.js`)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: port,
      ...TEST_SETTINGS,
      ...(from !== '.' && { TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true' }), // of the release before
      ...env,
    },
  });
  const logs = logsOf(child);
  const exited = new Promise<number | null>((ended) => child.once('close', ended));
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const started: RunningProcess = {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    logs,
    exited,
    async kill(signal) {
      if (!hasExited()) child.kill(signal);
      if (SIGNALS_THAT_END.has(signal)) await exited;
    },
    async stop() {
      const deadline = setTimeout(() => child.kill('SIGKILL'), 60_000);
      if (!hasExited()) {
        child.kill('SIGCONT'); // A test may have frozen it.
        child.kill(name === 'api' ? 'SIGINT' : 'SIGTERM'); // An API need not wait for a load balancer.
      }
      const code = await exited;
      clearTimeout(deadline);
      running.delete(started);
      return code;
    },
  };
  if (lasts) outlive(child);
  else {
    if (running.size === 0) afterFile(stopAll);
    running.add(started);
  }
  await until(async () => hasExited() || (await isHealthy(started.url)), {
    what: `${name} to be healthy`,
    timeoutMs: START_MS,
  }).catch(async (error: Error) => {
    await started.kill('SIGKILL');
    throw new Error(`${error.message}\n${logs()}`);
  });
  if (hasExited()) throw new Error(`${name} exited right after its start:\n${logs()}`);
  return started;
}

/** A process that still waits for its stores is alive, and not healthy. */
async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5000) });
  return ((await answer.json()) as { status: string }).status === 'ok';
}

function logsOf({ stdout, stderr }: ChildProcess): () => string {
  let logs = '';
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (logs += text));
  return () => logs;
}

/** Lets this process exit although the child and its streams are open. */
function outlive(child: ChildProcess): void {
  for (const handle of [child, child.channel, child.stdout, child.stderr]) (handle as { unref?(): void }).unref?.();
}
