import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile } from './after-file.js';
import { freePort } from './services.js';
import { until } from './until.js';

export interface ForwardProxy {
  /** Without user and password. */
  url: string;
  /** What it was asked for: `CONNECT host:port`, or the method and URL of plain http. */
  requests(): string[];
}

const PROGRAM = process.env.TOOLMARK_TINYPROXY || 'tinyproxy';

/**
 * A tinyproxy on a free port, which ends with the test file.
 * @param user `name password` that it wants
 * @param connectPort the only port that CONNECT may lead to. Default: any
 */
export async function startForwardProxy({
  user,
  connectPort,
}: { user?: string; connectPort?: number } = {}): Promise<ForwardProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-proxy-'));
  const port = await freePort();
  const settings = [`Port ${port}`, 'Listen 127.0.0.1', 'LogLevel Connect', 'Timeout 60', 'MaxClients 100'];
  if (user !== undefined) settings.push(`BasicAuth ${user}`);
  if (connectPort !== undefined) settings.push(`ConnectPort ${connectPort}`);
  writeFileSync(join(folder, 'tinyproxy.conf'), `${settings.join('\n')}\n`);
  const child = spawn(PROGRAM, ['-d', '-c', join(folder, 'tinyproxy.conf')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.on('error', ({ message }) => (log = `${message}: install tinyproxy (apt-get install tinyproxy).`));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text));
  afterFile(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await until(() => canConnect(port), { what: 'tinyproxy to listen' }).catch((error: Error) => {
    throw new Error(`${error.message}\n${log}`);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => [...log.matchAll(/Request \(file descriptor \d+\): (\S+ \S+) HTTP/g)].map(([, asked]) => asked!),
  };
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
