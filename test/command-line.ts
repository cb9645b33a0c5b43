import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from './client.js';
import { shellLine } from '../apps/cli/output/shell-words.js';

export interface CommandResult {
  code: number | null;
  out: string;
  err: string;
}
type Variables = Record<string, string>;

/** A folder of a user with the built command on the PATH, and a server for it. It is removed after the tests. */
export function openCommandLine(server: () => Client) {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-cli-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const node = resolve('node_modules/.bin/node');
  writeFileSync(join(bin, 'toolmark'), `#!/bin/sh\nexec ${node} ${resolve('dist/apps/cli/main.js')} "$@"\n`);
  chmodSync(join(bin, 'toolmark'), 0o755);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const toServer = (): Variables => ({ TOOLMARK_SERVER: server().url, TOOLMARK_TOKEN: server().token });
  const environmentOf = (variables: Variables): Variables => ({
    PATH: `${bin}:${process.env.PATH}`,
    XDG_CONFIG_HOME: folder,
    ...variables,
  });
  const start = (
    file: string,
    args: readonly string[],
    onError: (text: string) => void = () => {},
    variables = toServer(),
  ) => {
    const child = spawn(file, args, { cwd: folder, env: environmentOf(variables) });
    const ended = new Promise<CommandResult>((end) => {
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => onError((err += text)));
      child.on('close', (code) => end({ code, out, err }));
    });
    return { child, ended };
  };
  const spawned = (file: string, args: readonly string[], onError?: (text: string) => void): Promise<CommandResult> =>
    start(file, args, onError).ended;
  const toolmarkWith = (variables: Variables, ...args: string[]): Promise<CommandResult> =>
    runHosted({ args, folder, env: environmentOf(variables) });
  const toolmark = (...args: string[]): Promise<CommandResult> => toolmarkWith(toServer(), ...args);
  return {
    folder,
    toServer,
    /**
     * A separate process: for commands with input or a terminal, or that are read, signalled or killed while running.
     */
    start,
    spawned,
    /** The built command in a process that runs other commands as well. */
    toolmark,
    /** With these variables instead of a server and a token. */
    toolmarkWith,
    async toolmarkJson(...args: string[]): Promise<any> {
      const { code, out, err } = await toolmark(...args, '--json');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out);
    },
    /** Runs a shell line. If it is a single command, the shell only parses its arguments. */
    async inShell(line: string, variables = {}): Promise<CommandResult> {
      const all = { ...toServer(), ...variables };
      if (/[|<>;&]/.test(line) || !line.startsWith('toolmark ')) return start('sh', ['-c', line], undefined, all).ended;
      const words = `toolmark() { printf '%s\\0' "$@"; }\n${line}`;
      const { out } = await start('sh', ['-c', words], undefined, all).ended;
      return toolmarkWith(all, ...out.split('\0').slice(0, -1));
    },
    /** On a pseudo-terminal of this size, created by `script`. All its output is in `out`. */
    onTerminal(columns: number, rows: number, ...args: string[]): Promise<CommandResult> {
      const line = `stty cols ${columns} rows ${rows}; exec ${shellLine(['toolmark', ...args])}`;
      const isLinux = process.platform === 'linux';
      return spawned('script', isLinux ? ['-qec', line, '/dev/null'] : ['-qe', '/dev/null', 'sh', '-c', line]);
    },
  };
}

interface Command {
  args: readonly string[];
  folder: string;
  env: Variables;
}

/** Idle host processes, for the next commands of any test file. */
const idle = new Set<ChildProcess>();

async function runHosted(command: Command): Promise<CommandResult> {
  const [host = startHost()] = idle;
  idle.delete(host);
  const ran = await askHost(host, command);
  idle.add(host);
  return ran;
}

/** A process that runs commands. It ends with this one. */
function startHost(): ChildProcess {
  const host = spawn(resolve('node_modules/.bin/node'), [resolve('test/commands-host.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH },
  });
  host.once('exit', () => idle.delete(host));
  for (const handle of [host, host.channel]) handle?.unref?.();
  return host;
}

function askHost(host: ChildProcess, command: Command): Promise<CommandResult> {
  return new Promise((end, fail) => {
    const onExit = (code: number | null, signal: string | null): void =>
      fail(new Error(`The host of the commands ended with ${signal ?? code}.`));
    host.once('exit', onExit).once('message', (ran: CommandResult) => {
      host.off('exit', onExit);
      end(ran);
    });
    host.send(command);
  });
}
