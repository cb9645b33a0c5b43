import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterFile } from './after-file.js';
import { freePort } from './services.js';
import { installTool } from './tools.js';
import { until } from './until.js';

export interface Gateway {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Kills it, and starts it at the same address once `away` has ended. */
  restart(away: () => Promise<unknown>): Promise<void>;
}

/**
 * The gateway of Portkey (test/tools/portkey) on a free port. Its header `x-portkey-provider` chooses the format of a
 * host, and `x-portkey-custom-host` the host. It ends with the test file.
 */
export async function startGateway(): Promise<Gateway> {
  const modules = installTool('portkey');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // It keeps a cache in the folder that it runs in.
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-gateway-'));
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    let said = '';
    const preloads = ['scripts/stop-with-parent.mjs', 'test/tools/portkey/loopback.mjs'].flatMap((file) => [
      '--import',
      resolve(file),
    ]);
    const program = join(modules, '@portkey-ai/gateway/build/start-server.js');
    child = spawn(resolve('node_modules/.bin/node'), [...preloads, program, `--port=${port}`, '--headless'], {
      cwd: folder,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until(async () => (await fetch(url)).ok, { what: 'the gateway to answer' }).catch((error: Error) => {
      throw new Error(`${error.message}\n${said}`);
    });
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((end) => child.once('close', end));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  };
  afterFile(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return {
    url,
    restart: async (away) => {
      await kill();
      await away();
      await start();
    },
  };
}
