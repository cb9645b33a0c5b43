import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from './client.js';
import { shellLine } from '../apps/cli/output/shell-words.js';

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** A folder of a user who has the built command on the PATH, and a server to talk to. It is removed after the tests. */
export function openCommandLine(server: () => Client) {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-cli-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const node = resolve('node_modules/.bin/node');
  writeFileSync(join(bin, 'toolmark'), `#!/bin/sh\nexec ${node} ${resolve('dist/apps/cli/main.js')} "$@"\n`);
  chmodSync(join(bin, 'toolmark'), 0o755);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (file: string, args: readonly string[], onError: (text: string) => void = () => {}) => {
    const env = { TOOLMARK_SERVER: server().url, TOOLMARK_TOKEN: server().token, XDG_CONFIG_HOME: folder };
    const child = spawn(file, args, { cwd: folder, env: { PATH: `${bin}:${process.env.PATH}`, ...env } });
    const ended = new Promise<Ran>((end) => {
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => onError((err += text)));
      child.on('close', (code) => end({ code, out, err }));
    });
    return { child, ended };
  };
  const spawned = (file: string, args: readonly string[], onError?: (text: string) => void): Promise<Ran> =>
    start(file, args, onError).ended;
  return {
    folder,
    start,
    spawned,
    toolmark: (...args: string[]) => spawned('toolmark', args),
    async toolmarkJson(...args: string[]): Promise<any> {
      const { code, out, err } = await spawned('toolmark', [...args, '--json']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out);
    },
    /** On a pseudo-terminal of this size, which `script` makes. Everything that it shows is in `out`. */
    onTerminal(columns: number, rows: number, ...args: string[]): Promise<Ran> {
      const line = `stty cols ${columns} rows ${rows}; exec ${shellLine(['toolmark', ...args])}`;
      const isLinux = process.platform === 'linux';
      return spawned('script', isLinux ? ['-qec', line, '/dev/null'] : ['-qe', '/dev/null', 'sh', '-c', line]);
    },
  };
}
